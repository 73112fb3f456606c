// expect: accepted
//
// Batched matrix multiplication, step 1: one thread computes one element.
//
// The z direction of the grid picks the matrix; from there on it is an ordinary product. What is left to gain: every
// element of A is fetched K times and every element of B is fetched M times.

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[(b * M + row) * N + k] * B[(b * N + k) * K + column];
        }
        C[(b * M + row) * K + column] = sum;
    }
}
