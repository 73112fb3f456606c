// expect: runtime_error illegal_instruction | time_limit_exceeded
// on gpu: runtime_error | compile_error | accepted | time_limit_exceeded
// problem: zip
// row: emulator
//
// Jumps by tables of ten thousand labels, a hundred times: code that grows with the product of the two.

#define TEN(x) x x x x x x x x x x
#define HUNDRED(x) TEN(TEN(x))
#define LABELS TEN(TEN(HUNDRED("NEXT,"))) "NEXT"

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile(
        "{ TABLE: .branchtargets " LABELS "; .reg .pred never; setp.eq.s32 never, 1, 2; "
        HUNDRED("@never brx.idx %0, TABLE; ") "NEXT: }" ::"r"(0));
    if (i < N) output[i] = a[i] + b[i];
}
