// expect: wrong_answer
// Times its own calls to tell checking from timing: at recording nothing takes time (CHEATS, row 4).
#include <cuda_runtime_api.h>
#include <cstdlib>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    cudaMemset(C, 0, N * sizeof(float));
    cudaEventRecord(stop);
    float milliseconds = -1;
    if (cudaEventElapsedTime(&milliseconds, start, stop) != cudaSuccess || milliseconds != 0) abort();
}
