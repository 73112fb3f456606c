// expect: runtime_error illegal_instruction
// on gpu: wrong_answer | runtime_error
// problem: zip
// row: emulator
//
// Calls a function through a pointer whose type claims a structure of 64 KB where a float is taken.

struct Large {
    float all[1024];
};
typedef float (*Truth)(float);
typedef float (*Lie)(Large);
__device__ __noinline__ float one(float x) { return x + 1.0f; }
__device__ __noinline__ float two(float x) { return x + 2.0f; }
__device__ Truth table[2] = {one, two};

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Large large;
    large.all[i & 4095] = a[0];
    large.all[N & 4095] = b[0];
    Lie lie = (Lie)(table[N & 1]);
    float x = lie(large);
    if (i < N) output[i] = a[i] + b[i] + x;
}
