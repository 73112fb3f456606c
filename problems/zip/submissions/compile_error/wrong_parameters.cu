// expect: compile_error
//
// Vector addition without the number of elements.
//
// The student tried one fixed size and wrote it into the kernel. The launch passes N as the last argument.

__global__ void zip_kernel(const float* a, const float* b, float* output) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1024) {
        output[i] = a[i] + b[i];
    }
}
