// expect: wrong_answer
// Brings its own clock, exit and CUDA calls, which would lie to a timer in this process (CHEATS, row 9).
#include <cuda_runtime_api.h>
#include <cstdlib>
#include <ctime>

extern "C" int clock_gettime(clockid_t, timespec* now) noexcept {
    *now = {};
    return 0;
}

extern "C" cudaError_t cudaDeviceSynchronize() { abort(); }

extern "C" void solve(const float* A, const float* B, float* C, int N) { cudaDeviceSynchronize(); }
