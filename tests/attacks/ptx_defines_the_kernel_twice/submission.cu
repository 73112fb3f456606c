// expect: runtime_error illegal_instruction
// on gpu: compile_error
// problem: zip
// row: emulator
//
// Defines the kernel once more, with other parameters.

extern "C" __global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    asm volatile("ret; }\n.visible .entry zip_kernel(.param .u32 only) { ");
}
