// Cross-entropy, backward: gradient[i][j] = (softmax of row i at j, less 1 if j is labels[i]) * upstream[i].
// M rows of N elements, fp32.
//
// The kernel gets one block of BLOCK threads for each row. You may change the number: any constant expression up to
// 1024.
#define BLOCK 256

__global__ void cross_entropy_backward_kernel(const float* logits, const int* labels, const float* upstream,
                                              float* gradient, int M, int N) {
    const float* row = logits + (size_t)blockIdx.x * N;
    float* result = gradient + (size_t)blockIdx.x * N;
    int label = labels[blockIdx.x];

    // Each thread takes every BLOCK-th element of the row.
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        // Your turn: find the row's largest element first, then the sum of expf(row[j] - largest). Each needs all
        // threads of the block; __shared__ memory and __syncthreads() bring their parts together.
        float probability = row[j];
        result[j] = (probability - (j == label ? 1.0f : 0.0f)) * upstream[blockIdx.x];
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* logits, const int* labels, const float* upstream, float* gradient, int M, int N) {
    cross_entropy_backward_kernel<<<M, BLOCK>>>(logits, labels, upstream, gradient, M, N);
}
