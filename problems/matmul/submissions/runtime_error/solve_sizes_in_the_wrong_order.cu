// expect: runtime_error out_of_bounds
//
// Matrix multiplication whose kernel gets its sizes in another order than it takes them.
//
// Another book calls the inner size K. All three are ints, so the compiler can't tell; with equal sizes nothing shows.

#include <cuda_runtime.h>

// A is M x K, B is K x N, C is M x N.
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) {
            sum += A[row * K + k] * B[k * N + col];
        }
        C[row * N + col] = sum;
    }
}

// A is M x N, B is N x K, C is M x K.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16);
    matmul<<<grid, block>>>(A, B, C, M, N, K);
}
