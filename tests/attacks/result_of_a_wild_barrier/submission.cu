// expect: runtime_error illegal_instruction
// on gpu: compile_error | runtime_error
// problem: zip
// row: emulator
//
// Reads the result of a barrier whose number is far outside: in an emulator, the memory of its process.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 1000000, p; }" : "=r"(x) : "r"(i));  // <- here
    if (i < N) output[i] = a[i] + b[i] + (x & 0);
}
