// expect: runtime_error illegal_instruction
// on gpu: compile_error | runtime_error | wrong_answer | accepted
// problem: zip
// row: emulator
//
// Reads far behind a kernel parameter: in an emulator, the memory of its process.
// On a GPU it reads whatever lies there, of its own: a zero leaves the result right.

extern "C" __global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x;
    asm volatile("ld.param.u32 %0, [zip_kernel_param_0+100000000];" : "=r"(x));  // <- here
    if (i < N) output[i] = a[i] + b[i] + x;
}
