// expect: accepted
// on gpu: accepted | runtime_error | compile_error
// problem: zip
// row: emulator
//
// Waits at barriers that do not exist. PTX leaves this undefined; what the kernel writes is right either way.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int number = N + 1000000;
    asm volatile("bar.sync %0;" ::"r"(number));
    if (i < N) output[i] = a[i] + b[i];
}
