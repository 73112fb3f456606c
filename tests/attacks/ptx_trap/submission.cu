// expect: runtime_error trap
// problem: zip
// row: 24
//
// Ends in a trap.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("trap;");  // <- here
    if (i < N) output[i] = a[i] + b[i];
}
