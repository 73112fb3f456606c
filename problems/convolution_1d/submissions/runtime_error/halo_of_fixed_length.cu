// expect: runtime_error out_of_bounds
//
// 1D convolution with a shared array for up to 33 weights.
//
// The student tried short rows of weights. With more of them the halo runs over the end of the array.

#define BLOCK 256

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    __shared__ float elements[BLOCK + 32];

    int start = blockIdx.x * BLOCK - K / 2;
    for (int e = threadIdx.x; e < BLOCK + K - 1; e += BLOCK) {
        int from = start + e;
        elements[e] = from >= 0 && from < N ? input[from] : 0.0f;  // <- here
    }
    __syncthreads();

    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            sum += weights[j] * elements[threadIdx.x + j];
        }
        output[i] = sum;
    }
}
