// expect: accepted
//
// Matrix multiplication of A with a transposed copy of B, made by a kernel of its own.
//
// Added to solve_naive: scratch memory and two kernels in order. Both operands are then read along their rows. It does
// not pay on a GPU, where neighbouring threads read neighbouring columns of B anyway; it is how a CPU's program would
// do it, and a fair test of one's indices.

#include <cuda_runtime.h>

__global__ void transpose(const float* B, float* T, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < N && column < K) {
        T[column * N + row] = B[row * K + column];
    }
}

__global__ void multiply(const float* A, const float* T, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * T[column * N + k];
        }
        C[row * K + column] = sum;
    }
}

static dim3 blocks(int columns, int rows, dim3 block) {
    return dim3((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(32, 8);
    float* T;
    cudaMalloc(&T, sizeof(float) * N * K);
    transpose<<<blocks(K, N, block), block>>>(B, T, N, K);
    multiply<<<blocks(K, M, block), block>>>(A, T, C, M, N, K);
    cudaFree(T);
}
