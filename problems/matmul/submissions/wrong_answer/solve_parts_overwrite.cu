// expect: wrong_answer wrong_value
//
// Matrix multiplication in several launches along N, each of which forgets the ones before.
//
// The student splits the sum so that each launch reads a narrow part of A and B. The parts have to be added up: C +=,
// after a cudaMemset. Stored with =, only the last part remains; for N up to 64 there is but one.

#include <algorithm>
#include <cuda_runtime.h>

__global__ void multiply_part(const float* A, const float* B, float* C, int M, int N, int K, int begin, int end) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < K) {
        float sum = 0.0f;
        for (int i = begin; i < end; i++) {
            sum += A[row * N + i] * B[i * K + col];
        }
        C[row * K + col] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(16, 16);
    dim3 grid((K + 15) / 16, (M + 15) / 16);
    for (int begin = 0; begin < N; begin += 64) {
        multiply_part<<<grid, block>>>(A, B, C, M, N, K, begin, std::min(begin + 64, N));
    }
}
