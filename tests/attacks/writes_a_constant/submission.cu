// expect: runtime_error out_of_bounds
// on gpu: runtime_error | compile_error
// problem: zip
// row: emulator
//
// Writes to constant memory through a pointer that has lost its const.

__constant__ float scale[4] = {1.0f, 1.0f, 1.0f, 1.0f};

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) asm volatile("st.f32 [%0], %1;" ::"l"((const float*)scale), "f"(2.0f) : "memory");  // <- here
    if (i < N) output[i] = (a[i] + b[i]) * scale[i & 3];
}
