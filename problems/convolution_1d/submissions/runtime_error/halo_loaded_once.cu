// expect: runtime_error uninitialized_read
//
// 1D convolution whose threads load one element of the halo each.
//
// A block of 256 threads then has 512 elements. Weights that reach further find what shared memory held before.

#define BLOCK 256

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    __shared__ float elements[BLOCK + 1022];

    int start = blockIdx.x * BLOCK - K / 2;
    for (int part = 0; part < 2; ++part) {
        int e = threadIdx.x + part * BLOCK;
        elements[e] = start + e >= 0 && start + e < N ? input[start + e] : 0.0f;
    }
    __syncthreads();

    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            sum += weights[j] * elements[threadIdx.x + j];  // <- here
        }
        output[i] = sum;
    }
}
