// expect: runtime_error illegal_instruction
// on gpu: runtime_error | compile_error | accepted
// problem: zip
// row: emulator
//
// Opens hundreds of blocks in blocks in inline PTX, by a macro.

#define TEN(x) x x x x x x x x x x
#define HUNDRED(x) TEN(TEN(x))

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile(HUNDRED("{ { { {") HUNDRED("} } } }"));
    if (i < N) output[i] = a[i] + b[i];
}
