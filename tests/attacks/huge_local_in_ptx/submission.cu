// expect: runtime_error illegal_instruction
// on gpu: runtime_error | compile_error
// problem: zip
// row: emulator
//
// Declares more local memory in inline PTX than a number of 64 bits can say.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("{ .local .b8 all[99999999999999999999999]; .reg .b64 t; mov.u64 t, all; }");
    if (i < N) output[i] = a[i] + b[i];
}
