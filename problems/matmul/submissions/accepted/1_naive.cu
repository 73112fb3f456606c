// expect: accepted
//
// Matrix multiplication, step 1: one thread computes one element of C.
//
// The sum over k runs in a register and is written once at the end. Threads of a warp share a row of A (one
// broadcast read) and read neighbouring elements of B (one coalesced read). What is left to gain: every element of
// A is fetched K times and every element of B is fetched M times, so the kernel waits for memory.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * B[k * K + column];
        }
        C[row * K + column] = sum;
    }
}
