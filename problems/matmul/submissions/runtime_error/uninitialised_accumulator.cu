// expect: runtime_error uninitialized_read
//
// Matrix multiplication that sums up in shared memory without setting it to zero first.
//
// The student moved the sum from a register to shared memory "because shared memory is fast" and forgot that nobody
// clears it: it holds whatever the previous block left there.

#define TILE 16

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float sums[TILE][TILE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;

    if (row < M && column < K) {
        for (int k = 0; k < N; ++k) {
            sums[y][x] += A[row * N + k] * B[k * K + column];  // <- here
        }
        C[row * K + column] = sums[y][x];
    }
}
