// expect: runtime_error uninitialized_read
//
// Reduction that adds to an output which nobody has set to 0.
//
// For a kernel alone the grader sets output[0] to 0 before the launch. Who writes solve() writes that line too; what a
// result array holds before is not defined.

#include <cuda_runtime.h>

__global__ void sum(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += input[i];
    }
    atomicAdd(output, sum);  // <- here
}

extern "C" void solve(const float* input, float* output, int N) {
    sum<<<32, 128>>>(input, output, N);
    cudaDeviceSynchronize();
}
