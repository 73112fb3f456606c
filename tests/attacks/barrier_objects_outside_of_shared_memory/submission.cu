// expect: runtime_error out_of_bounds
// on gpu: runtime_error | compile_error | time_limit_exceeded
// problem: zip
// row: emulator
//
// Makes barrier objects at odd addresses, and at addresses past the end of shared memory.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile(  // <- here
        "{ .reg .b64 s; .shared .align 8 .b8 bar[8]; .reg .b32 p; mov.u32 p, bar; mbarrier.init.shared.b64 [p+16], 1;"
        " mbarrier.arrive.shared.b64 s, [p+12345]; }" ::: "memory");
    if (i < N) output[i] = a[i] + b[i];
}
