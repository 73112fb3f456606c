// expect: accepted
//
// Batched matrix multiplication, step 3: the largest tile, two buffers, one barrier a step.
//
// Added to step 2: TILE is 32, so that each fetched element is used 32 times, and a warp is one row of the tile.
// While the block computes from one pair of tiles, the next one is on its way from global memory to registers.

#define TILE 32

__global__ void __launch_bounds__(TILE * TILE)
    batched_matmul_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int BATCH,
                          int M, int N, int K) {
    __shared__ float tile_A[2][TILE][TILE];
    __shared__ float tile_B[2][TILE][TILE];

    A += blockIdx.z * M * N;
    B += blockIdx.z * N * K;
    C += blockIdx.z * M * K;

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int column = blockIdx.x * TILE + x;
    const int row = blockIdx.y * TILE + y;

    auto load_A = [&](int start) { return row < M && start + x < N ? A[row * N + start + x] : 0.0f; };
    auto load_B = [&](int start) { return start + y < N && column < K ? B[(start + y) * K + column] : 0.0f; };

    tile_A[0][y][x] = load_A(0);
    tile_B[0][y][x] = load_B(0);
    __syncthreads();

    float sum = 0.0f;
    int current = 0;
    for (int start = 0; start < N; start += TILE) {
        // Past the last step these loads find no element, and give zeros that nobody reads.
        const float next_a = load_A(start + TILE);
        const float next_b = load_B(start + TILE);
#pragma unroll
        for (int k = 0; k < TILE; ++k) {
            sum = fmaf(tile_A[current][y][k], tile_B[current][k][x], sum);
        }
        current = 1 - current;
        tile_A[current][y][x] = next_a;
        tile_B[current][y][x] = next_b;
        __syncthreads();
    }

    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}
