// expect: accepted
//
// 1D convolution, step 2: the ends are worked out before the loop.
//
// Added to step 1: the first and the last weight that meet an element follow from i, so the loop runs over these
// alone and needs no check. Threads in the middle all run from 0 to K and stay together.

__global__ void convolution_kernel(const float* __restrict__ input, const float* __restrict__ weights,
                                   float* __restrict__ output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        int start = i - K / 2;
        int first = max(0, -start);
        int last = min(K, N - start);
        float sum = 0.0f;
        for (int j = first; j < last; ++j) {
            sum = fmaf(weights[j], input[start + j], sum);
        }
        output[i] = sum;
    }
}
