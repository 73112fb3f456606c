// expect: accepted
//
// Map, step 4: an exponential that never overflows, and no thread without work.
//
// Added to step 3: exp(-x) is infinite in fp32 for x below -88.7. There 1 / (1 + exp(-x)) gives 0, where the true value
// is tiny but not zero. exp(-|x|) is at most 1, and serves both halves of the axis:
//
//     x >= 0:  1 / (1 + exp(-x))
//     x <  0:  exp(x) / (1 + exp(x))
//
// No branch: both cases differ by their numerator only. It costs two instructions an element. The host launches a thread
// for each four elements, as starting and ending the idle threads of step 3 takes far longer than that.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ float sigmoid(float x) {
    const float e = expf(-fabsf(x));
    const float numerator = x >= 0.0f ? 1.0f : e;
    return numerator / (1.0f + e);
}

__global__ void __launch_bounds__(BLOCK) map_fours(const float* __restrict__ input, float* __restrict__ output, int N) {
    const int first = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    if (first + 3 < N) {
        const float4 x = *reinterpret_cast<const float4*>(input + first);
        *reinterpret_cast<float4*>(output + first) = make_float4(sigmoid(x.x), sigmoid(x.y), sigmoid(x.z), sigmoid(x.w));
        return;
    }
    for (int i = first; i < N; i++) {
        output[i] = sigmoid(input[i]);
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    const int fours = (N + 3) / 4;
    map_fours<<<(fours + BLOCK - 1) / BLOCK, BLOCK>>>(input, output, N);
}
