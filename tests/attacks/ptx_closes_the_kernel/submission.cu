// expect: wrong_answer unwritten_output
// on gpu: wrong_answer | compile_error
// problem: zip
// row: emulator
//
// Ends the kernel within an asm statement and begins another one.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    asm volatile("ret; }\n.visible .entry second() { ");
}
