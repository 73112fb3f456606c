// expect: runtime_error out_of_bounds
// on gpu: runtime_error | compile_error
// problem: zip
// row: emulator
//
// Writes over the parameters of its own launch, which later blocks read, at the address where an emulator keeps them.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile(  // <- here
        "{ .reg .u64 p; .reg .b32 x; mov.u64 p, 0x3800000000; ld.global.b32 x, [p]; st.global.b32 [p+24], x; }" ::: "memory");
    if (i < N) output[i] = a[i] + b[i];
}
