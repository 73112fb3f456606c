// expect: wrong_answer wrong_value | runtime_error data_race
// problem: matmul
// row: 1
//
// The first element that is ever computed for a place is kept for that place. Two blocks may be the first at once.

__device__ float saved[64 * 64];
__device__ volatile int known[64 * 64];

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    int place = (row % 64) * 64 + col % 64;
    if (!known[place]) {
        float sum = 0.0f;
        for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
        saved[place] = sum;
        __threadfence();
        known[place] = 1;
    }
    C[row * K + col] = saved[place];
}
