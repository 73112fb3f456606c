// expect: runtime_error illegal_instruction
// on gpu: runtime_error | compile_error
// problem: zip
// row: emulator
//
// Declares a billion registers in inline PTX.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("{ .reg .b32 all<1000000000>; }");
    if (i < N) output[i] = a[i] + b[i];
}
