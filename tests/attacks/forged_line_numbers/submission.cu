// expect: runtime_error out_of_bounds
// on gpu: wrong_answer | runtime_error | compile_error
// problem: zip
// row: emulator
//
// Line directives that point outside of the file, before a fault.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile(".loc 1 999999999 1\n.loc 99 5 1\n");
    if (i < N) output[i] = a[i] + b[i];
    asm volatile(".loc 1 999999999 1\nst.global.f32 [%0], %1;" ::"l"(output + N + i), "f"(1.0f));
}
