// expect: accepted
//
// Map, step 4: an exponential that never overflows.
//
// Added to step 1: exp(-x) is infinite in fp32 for x below -88.7. There 1 / (1 + exp(-x)) gives 0, where the true
// value is tiny but not zero. exp(-|x|) is at most 1, and serves both halves of the axis:
//
//     x >= 0:  1 / (1 + exp(-x))
//     x <  0:  exp(x) / (1 + exp(x))
//
// No branch: both cases differ by their numerator only.

__device__ float sigmoid(float x) {
    float e = expf(-fabsf(x));
    float numerator = x >= 0.0f ? 1.0f : e;
    return numerator / (1.0f + e);
}

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = sigmoid(input[i]);
    }
}
