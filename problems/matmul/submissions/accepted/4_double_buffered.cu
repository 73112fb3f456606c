// expect: accepted
//
// Matrix multiplication, step 4: two buffers, so that loading and computing overlap.
//
// Added to step 3: while the block computes from one pair of tiles, the next pair is already on its way from global
// memory to registers, and is stored to the other pair of buffers after the computation. The wait for global memory
// hides behind arithmetic. One barrier a step is enough: the buffer written in this step was last read in the step
// before, and the barrier at the end of that step lies between.

#define TILE 32
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void __launch_bounds__(TILE * TILE)
    matrix_multiplication_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
                                 int N, int K) {
    __shared__ float tile_A[2][TILE][TILE];
    __shared__ float tile_B[2][TILE][TILE];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int column = blockIdx.x * TILE + x;
    const int row = blockIdx.y * TILE + y;
    const int steps = CEIL_DIV(N, TILE);

    auto load_A = [&](int start) { return row < M && start + x < N ? A[row * N + start + x] : 0.0f; };
    auto load_B = [&](int start) { return start + y < N && column < K ? B[(start + y) * K + column] : 0.0f; };

    tile_A[0][y][x] = load_A(0);
    tile_B[0][y][x] = load_B(0);
    __syncthreads();

    float sum = 0.0f;
    for (int step = 0; step < steps; ++step) {
        const int current = step % 2;

        // Past the last step these loads find no element, and give zeros that nobody reads.
        const float next_a = load_A((step + 1) * TILE);
        const float next_b = load_B((step + 1) * TILE);

#pragma unroll
        for (int k = 0; k < TILE; ++k) {
            sum += tile_A[current][y][k] * tile_B[current][k][x];
        }

        tile_A[1 - current][y][x] = next_a;
        tile_B[1 - current][y][x] = next_b;
        __syncthreads();
    }

    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}
