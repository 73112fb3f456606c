// expect: accepted
//
// SwiGLU, step 4: a thread for each float4, and none besides.
//
// Added to step 3: there the launch has a thread for each element, and three of four have nothing to do; starting and
// ending their blocks takes time. Here the host launches N / 4 threads, and one small block for the up to three elements
// that are left.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ float swiglu(float gate, float value) { return gate / (1.0f + expf(-gate)) * value; }

__global__ void __launch_bounds__(BLOCK) swiglu_fours(const float4* __restrict__ gate, const float4* __restrict__ value,
                                                      float4* __restrict__ output, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count) {
        float4 g = gate[i];
        float4 v = value[i];
        output[i] = make_float4(swiglu(g.x, v.x), swiglu(g.y, v.y), swiglu(g.z, v.z), swiglu(g.w, v.w));
    }
}

__global__ void swiglu_rest(const float* gate, const float* value, float* output) {
    output[threadIdx.x] = swiglu(gate[threadIdx.x], value[threadIdx.x]);
}

extern "C" void solve(const float* gate, const float* value, float* output, int N) {
    int count = N / 4;
    int left = N % 4;
    if (count > 0) {
        swiglu_fours<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>((const float4*)gate, (const float4*)value,
                                                             (float4*)output, count);
    }
    if (left > 0) {
        swiglu_rest<<<1, left>>>(gate + 4 * count, value + 4 * count, output + 4 * count);
    }
}
