// expect: runtime_error illegal_instruction
// on gpu: runtime_error
// problem: zip
// row: emulator
//
// Calls functions at addresses that are made up.

typedef float (*Function)(float);
__device__ __noinline__ float one(float x) { return x + 1.0f; }
__device__ Function choose[2] = {one, one};

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Function f = (Function)((4ull << 36) + 77 + N);
    if (choose[N & 1] == nullptr) f = choose[0];
    float x = f(a[0]);  // <- here
    if (i < N) output[i] = a[i] + b[i] + x;
}
