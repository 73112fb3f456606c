// expect: accepted
//
// Batched matrix multiplication by a loop on the host: one launch for each matrix, on four streams.
//
// This is how a kernel for a single product is put to use as it stands. Launches on different streams may run side by
// side, which small matrices need; but each launch costs microseconds, and a product of 64 x 64 takes less.

#include <cuda_runtime.h>

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
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

extern "C" void solve(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    constexpr int STREAMS = 4;
    cudaStream_t streams[STREAMS];
    for (cudaStream_t& stream : streams) {
        cudaStreamCreate(&stream);
    }
    dim3 block(16, 16);
    dim3 grid((K + 15) / 16, (M + 15) / 16);
    for (int b = 0; b < BATCH; ++b) {
        multiply<<<grid, block, 0, streams[b % STREAMS]>>>(A + b * M * N, B + b * N * K, C + b * M * K, M, N, K);
    }
    for (cudaStream_t& stream : streams) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
}
