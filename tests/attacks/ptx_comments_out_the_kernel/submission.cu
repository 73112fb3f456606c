// expect: runtime_error illegal_instruction | compile_error
// on gpu: compile_error | runtime_error | wrong_answer unwritten_output
// problem: zip
// row: emulator
//
// Hides the kernel in a comment that inline PTX opens and closes, and puts another one of its name there.

__device__ __noinline__ void opens() { asm volatile("ret; }\n.visible .entry zip_kernel(.param .u32 only) { ret; }\n/*"); }

extern "C" __global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    opens();
    asm volatile("*/ .func rest() {");
}
