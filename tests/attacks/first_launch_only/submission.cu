// expect: wrong_answer unwritten_output
// on gpu: wrong_answer
// problem: matmul
// timed: M=1024,N=1024,K=1024
// row: 3
//
// Counts blocks: those of the first launch compute, all later ones return at once.

__device__ unsigned tickets;
__device__ unsigned first_blocks;

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ bool first;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        unsigned blocks = gridDim.x * gridDim.y;
        unsigned before = atomicCAS(&first_blocks, 0u, blocks);
        first = atomicAdd(&tickets, 1u) < (before ? before : blocks);
    }
    __syncthreads();
    if (!first) return;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    float sum = 0.0f;
    for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
    C[row * K + col] = sum;
}
