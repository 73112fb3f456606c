// expect: accepted
//
// Matrix multiplication in tiles of shared memory, whose width the host chooses.
//
// Added to solve_naive: the tile's width is a template argument, so that the compiler unrolls the inner loop, and the
// host picks the instance that fits: small matrices give a 32 x 32 tile too few blocks to fill a GPU. The size of the
// dynamic shared memory is the third number between <<< and >>>.

#include <cuda_runtime.h>

template <int TILE>
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    extern __shared__ float tiles[];
    float(*tile_A)[TILE] = reinterpret_cast<float(*)[TILE]>(tiles);
    float(*tile_B)[TILE] = reinterpret_cast<float(*)[TILE]>(tiles + TILE * TILE);

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;

    for (int start = 0; start < N; start += TILE) {
        tile_A[y][x] = row < M && start + x < N ? A[row * N + start + x] : 0.0f;
        tile_B[y][x] = start + y < N && column < K ? B[(start + y) * K + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) {
            sum += tile_A[y][k] * tile_B[k][x];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}

template <int TILE>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(TILE, TILE);
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    multiply<TILE><<<grid, block, 2 * TILE * TILE * sizeof(float)>>>(A, B, C, M, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M <= 128 && K <= 128) {
        launch<16>(A, B, C, M, N, K);
    } else {
        launch<32>(A, B, C, M, N, K);
    }
}
