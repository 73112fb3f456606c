// expect: runtime_error out_of_bounds
// on gpu: runtime_error | compile_error
// problem: zip
// row: emulator
//
// Reads at the last word of the windows of shared and local memory, where an address that is added to wraps around.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile(  // <- here
        "{ .reg .u64 p; .reg .b32 x; mov.u64 p, 0x1FFFFFFFFC; ld.b32 x, [p]; mov.u64 p, 0x2FFFFFFFFC; ld.b32 x, [p]; }"
        ::: "memory");
    if (i < N) output[i] = a[i] + b[i];
}
