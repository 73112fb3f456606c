// expect: accepted
//
// Prefix sum in three kernels, so that many blocks share a long row.
//
// The first kernel scans pieces of 1024 elements by themselves and notes their sums, the second one scans these sums,
// and the third adds to each piece what comes before it. The end of a kernel is the barrier between blocks. The
// output is read and written once more than in one block's walk along the row; with few long rows, the many blocks
// are worth it.

#include <cuda_runtime.h>

constexpr int PIECE = 1024;

__global__ void scan_pieces(const float* input, float* output, float* piece_sums, int N) {
    __shared__ float scan[PIECE];
    int t = threadIdx.x;
    int j = blockIdx.x * PIECE + t;
    const int row = blockIdx.y;
    scan[t] = j < N ? input[row * N + j] : 0.0f;
    __syncthreads();
    for (int distance = 1; distance < PIECE; distance *= 2) {
        float left = t >= distance ? scan[t - distance] : 0.0f;
        __syncthreads();
        scan[t] += left;
        __syncthreads();
    }
    if (j < N) {
        output[row * N + j] = scan[t];
    }
    if (t == PIECE - 1) {
        piece_sums[row * gridDim.x + blockIdx.x] = scan[t];
    }
}

__global__ void scan_sums(float* piece_sums, int M, int pieces) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int p = 0; p < pieces; ++p) {
            sum += piece_sums[row * pieces + p];
            piece_sums[row * pieces + p] = sum;
        }
    }
}

__global__ void add_what_comes_before(float* output, const float* piece_sums, int N) {
    int j = (blockIdx.x + 1) * PIECE + threadIdx.x;
    int row = blockIdx.y;
    if (j < N) {
        output[row * N + j] += piece_sums[row * (gridDim.x + 1) + blockIdx.x];
    }
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    int pieces = (N + PIECE - 1) / PIECE;
    float* piece_sums;
    cudaMalloc(&piece_sums, sizeof(float) * M * pieces);
    scan_pieces<<<dim3(pieces, M), PIECE>>>(input, output, piece_sums, N);
    if (pieces > 1) {
        scan_sums<<<(M + 127) / 128, 128>>>(piece_sums, M, pieces);
        add_what_comes_before<<<dim3(pieces - 1, M), PIECE>>>(output, piece_sums, N);
    }
    cudaFree(piece_sums);
}
