// expect: runtime_error illegal_instruction
// on gpu: compile_error | runtime_error | accepted
// problem: zip
// row: emulator
//
// Writes far behind a call parameter: in an emulator, into the memory of its process.
// On a GPU the assembler drops the write, and the result is right.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("{ .param .b32 p; st.param.b32 [p+10000], %0; }" ::"r"(i));  // <- here
    if (i < N) output[i] = a[i] + b[i];
}
