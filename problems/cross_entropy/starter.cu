// Cross-entropy: loss[i] = log(sum of exp(logits[i][j] - largest)) + largest - logits[i][labels[i]]. M rows of N, fp32.
//
// The kernel gets one block of BLOCK threads for each row. You may change the number: any constant expression up to
// 1024.
#define BLOCK 256

__global__ void cross_entropy_kernel(const float* logits, const int* labels, float* loss, int M, int N) {
    const float* row = logits + (size_t)blockIdx.x * N;
    float own = row[labels[blockIdx.x]];
    float sum = 0.0f;

    // Each thread takes every BLOCK-th element of the row.
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        // Your turn: find the row's largest element first, then the sum of expf(row[j] - largest). Each needs all
        // threads of the block; __shared__ memory and __syncthreads() bring their parts together.
        sum += row[j];
    }
    if (threadIdx.x == 0) {
        loss[blockIdx.x] = sum - own;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* logits, const int* labels, float* loss, int M, int N) {
    cross_entropy_kernel<<<M, BLOCK>>>(logits, labels, loss, M, N);
}
