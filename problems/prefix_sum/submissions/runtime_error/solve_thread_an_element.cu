// expect: runtime_error launch_failure
//
// Prefix sum with one thread for each element of a row.
//
// A block has at most 1024 threads, and a row may be longer. CUDA refuses the launch.

#include <cuda_runtime.h>

__global__ void scan_row(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int j = 0; j <= threadIdx.x; ++j) {
        sum += input[blockIdx.x * N + j];
    }
    output[blockIdx.x * N + threadIdx.x] = sum;
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    scan_row<<<M, N>>>(input, output, N);  // <- here
}
