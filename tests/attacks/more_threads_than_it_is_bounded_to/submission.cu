// expect: runtime_error launch_failure
// on gpu: runtime_error
// problem: zip
// row: 7, 24
//
// Is declared for blocks of at most 32 threads, and launched with more: CUDA refuses the launch.

#define BLOCK 256

__global__ void __launch_bounds__(32) zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
