__global__ void convolution_kernel(const float* __restrict__ input, const float* __restrict__ weights,
                                   float* __restrict__ output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        int start = i - K / 2;
        int first = max(0, -start);
        int last = min(K, N - i);
        float sum = 0.0f;
        for (int j = first; j < last; ++j) {
            sum = fmaf(weights[j], input[start + j], sum);
        }
        output[i] = sum;
    }
}
