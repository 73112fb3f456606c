// expect: runtime_error illegal_instruction
// on gpu: compile_error
// problem: zip
// row: emulator
//
// Inline PTX that is none.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("this is not ptx @@ {{{ ;");
    if (i < N) output[i] = a[i] + b[i];
}
