// expect: runtime_error illegal_instruction
// on gpu: accepted | runtime_error | compile_error
// problem: zip
// row: emulator
//
// Declares, in a block of inline PTX, a small parameter by the name of the kernel's large one, and writes at the
// large one's end: in an emulator, the registers beside it. For a GPU the compiler leaves out the store, since nothing
// reads what it writes: what then runs is a right zip, and nothing is beside it to be reached.

struct Large { float values[512]; };

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("{ .param .b8 zip_kernel_param_0[4]; st.param.b32 [zip_kernel_param_0+4092], %0; }" ::"r"(i));  // <- here
    if (i < N) output[i] = a[i] + b[i];
}
