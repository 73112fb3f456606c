// expect: accepted
//
// GELU, step 3: a thread for each float4, and none besides.
//
// Added to step 2: one instruction moves 16 bytes, and no thread loops. The host launches N / 4 threads, and one small
// block for the up to three elements that are left. With the statement's launch, a thread for each element, three of
// four would have nothing to do; starting and ending their blocks took a third of the time.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ float gelu(float x) {
    float twice_z = x * (1.5957691216f + 0.0713548163f * x * x);
    return x / (1.0f + expf(-twice_z));
}

__global__ void __launch_bounds__(BLOCK)
    gelu_fours(const float4* __restrict__ input, float4* __restrict__ output, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count) {
        float4 x = input[i];
        output[i] = make_float4(gelu(x.x), gelu(x.y), gelu(x.z), gelu(x.w));
    }
}

__global__ void gelu_rest(const float* input, float* output) { output[threadIdx.x] = gelu(input[threadIdx.x]); }

extern "C" void solve(const float* input, float* output, int N) {
    int count = N / 4;
    int left = N % 4;
    if (count > 0) {
        gelu_fours<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>((const float4*)input, (float4*)output, count);
    }
    if (left > 0) {
        gelu_rest<<<1, left>>>(input + 4 * count, output + 4 * count);
    }
}
