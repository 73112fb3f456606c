// expect: runtime_error launch_failure
// A number of its own in the place of a stream's handle.
#include <cuda_runtime_api.h>

#include <cstdlib>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    void* own = calloc(1, 4096);
    cudaMemsetAsync(C, 0, N * sizeof(float), static_cast<cudaStream_t>(own));
}
