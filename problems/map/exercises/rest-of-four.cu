#include <cuda_runtime.h>

__device__ __forceinline__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__global__ void fours(const float4* input, float4* output, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float4 x = input[i];
        output[i] = make_float4(sigmoid(x.x), sigmoid(x.y), sigmoid(x.z), sigmoid(x.w));
    }
}

__global__ void rest(const float* input, float* output) { output[threadIdx.x] = sigmoid(input[threadIdx.x]); }

extern "C" void solve(const float* input, float* output, int N) {
    int count = (N + 3) / 4;
    int left = N % 4;
    if (count > 0) {
        fours<<<(count + 255) / 256, 256>>>((const float4*)input, (float4*)output, count);
    }
    if (left > 0) {
        rest<<<1, left>>>(input + 4 * count, output + 4 * count);
    }
}
