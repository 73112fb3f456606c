// expect: accepted
//
// 1D convolution, step 3: elements, halo and weights in shared memory.
//
// Added to step 2: the block copies what it needs once, BLOCK + K - 1 elements and K weights, with zeros where the
// input has none; the loop then needs neither a check nor global memory. All threads read the same weight at a time,
// one broadcast, and neighbouring elements, 32 different banks. The copy is a loop, for the halo may be longer than the
// block. Up to 16 weights go as in step 2: copying and a barrier cost more than so few reads that hit L1.

#define BLOCK 256
#define MOST_WEIGHTS 1023
#define FEW_WEIGHTS 16

__global__ void __launch_bounds__(BLOCK)
    convolution_kernel(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
                       int N, int K) {
    __shared__ float elements[BLOCK + MOST_WEIGHTS - 1];
    __shared__ float shared_weights[MOST_WEIGHTS];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (K <= FEW_WEIGHTS) {
        if (i < N) {
            const int start = i - K / 2;
            const int first = max(0, -start);
            const int last = min(K, N - start);
            float sum = 0.0f;
            for (int j = first; j < last; ++j) {
                sum = fmaf(weights[j], input[start + j], sum);
            }
            output[i] = sum;
        }
        return;
    }

    const int start = blockIdx.x * BLOCK - K / 2;
    for (int e = threadIdx.x; e < BLOCK + K - 1; e += BLOCK) {
        const int from = start + e;
        elements[e] = from >= 0 && from < N ? input[from] : 0.0f;
    }
    for (int j = threadIdx.x; j < K; j += BLOCK) {
        shared_weights[j] = weights[j];
    }
    __syncthreads();

    if (i < N) {
        float sum = 0.0f;
#pragma unroll 4
        for (int j = 0; j < K; ++j) {
            sum = fmaf(shared_weights[j], elements[threadIdx.x + j], sum);
        }
        output[i] = sum;
    }
}
