// expect: accepted
//
// 1D convolution, step 1: one thread computes one output.
//
// Each product asks whether its element exists. Neighbouring threads read neighbouring elements at every step, so
// loads are coalesced and mostly hit the cache. What is left to gain: the check and two loads for every
// multiplication.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            int from = i + j - K / 2;
            if (from >= 0 && from < N) {
                sum += weights[j] * input[from];
            }
        }
        output[i] = sum;
    }
}
