// expect: accepted
//
// LU with host code of its own: all of the GPU, 32 columns at a time.
//
// Added to step 2: three launches a group of 32 columns. One block does the square on the diagonal; then there is a
// thread for each row of L below it and each column of U beside it, 32 numbers in registers; then tiles of 64 x 64 of
// the rest, 16 numbers a thread from shared memory. The last one is a matrix product and has nearly all of the work: it
// runs on all multiprocessors instead of one.

#include <cuda_runtime.h>

constexpr int PANEL = 32;
constexpr int TILE = 64;
constexpr int EACH = 4;
constexpr int ROWS = 64;

__global__ void prepare(const float* __restrict__ A, float* __restrict__ LU, int N) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y;
    if (j < N) {
        LU[i * N + j] = i == j ? A[i * N + j] + N + 1 : A[i * N + j];
    }
}

__global__ void __launch_bounds__(PANEL* PANEL) diagonal(float* LU, int N, int first) {
    __shared__ float square[PANEL][PANEL + 1];
    int i = threadIdx.y;
    int j = threadIdx.x;
    int width = min(PANEL, N - first);
    bool inside = i < width && j < width;
    square[i][j] = inside ? LU[(first + i) * N + first + j] : 0.0f;
    __syncthreads();
    for (int k = 0; k < width; k++) {
        if (j == k && i > k) {
            square[i][k] /= square[k][k];
        }
        __syncthreads();
        if (i > k && j > k) {
            square[i][j] -= square[i][k] * square[k][j];
        }
        __syncthreads();
    }
    if (inside) {
        LU[(first + i) * N + first + j] = square[i][j];
    }
}

// Rows of L below a whole square on the diagonal, by the blocks of y = 0, and columns of U beside it, by those of
// y = 1.
__global__ void __launch_bounds__(ROWS) panels(float* LU, int N, int first) {
    __shared__ float square[PANEL][PANEL];
    __shared__ float inverse[PANEL];
    for (int place = threadIdx.x; place < PANEL * PANEL; place += ROWS) {
        square[place / PANEL][place % PANEL] = LU[(first + place / PANEL) * N + first + place % PANEL];
    }
    if (threadIdx.x < PANEL) {
        int row = first + threadIdx.x;
        inverse[threadIdx.x] = 1.0f / LU[row * N + row];
    }
    __syncthreads();
    int own = first + PANEL + blockIdx.x * ROWS + threadIdx.x;
    if (own >= N) {
        return;
    }
    bool below = blockIdx.y == 0;
    float* numbers = below ? LU + own * N + first : LU + first * N + own;
    int step = below ? 1 : N;
    float x[PANEL];
#pragma unroll
    for (int k = 0; k < PANEL; k++) {
        x[k] = numbers[k * step];
    }
#pragma unroll
    for (int k = 0; k < PANEL; k++) {
        x[k] = below ? x[k] * inverse[k] : x[k];
#pragma unroll
        for (int j = k + 1; j < PANEL; j++) {
            x[j] -= x[k] * (below ? square[k][j] : square[j][k]);
        }
    }
#pragma unroll
    for (int k = 0; k < PANEL; k++) {
        numbers[k * step] = x[k];
    }
}

__global__ void __launch_bounds__((TILE / EACH) * (TILE / EACH)) update(float* LU, int N, int first) {
    __shared__ __align__(16) float left[PANEL][TILE + 4];
    __shared__ __align__(16) float above[PANEL][TILE];
    constexpr int threads = (TILE / EACH) * (TILE / EACH);
    int thread = threadIdx.x;
    int top = first + PANEL + blockIdx.y * TILE;
    int side = first + PANEL + blockIdx.x * TILE;
    for (int place = thread; place < PANEL * TILE; place += threads) {
        int i = place / PANEL;
        int k = place % PANEL;
        left[k][i] = top + i < N ? LU[(top + i) * N + first + k] : 0.0f;
    }
    for (int place = thread; place < PANEL * TILE; place += threads) {
        int k = place / TILE;
        int j = place % TILE;
        above[k][j] = side + j < N ? LU[(first + k) * N + side + j] : 0.0f;
    }
    __syncthreads();
    int i = thread / (TILE / EACH) * EACH;
    int j = thread % (TILE / EACH) * EACH;
    float sums[EACH][EACH] = {};
#pragma unroll 8
    for (int k = 0; k < PANEL; k++) {
        float4 rows = *reinterpret_cast<const float4*>(&left[k][i]);
        float4 columns = *reinterpret_cast<const float4*>(&above[k][j]);
        float r[EACH] = {rows.x, rows.y, rows.z, rows.w};
        float c[EACH] = {columns.x, columns.y, columns.z, columns.w};
#pragma unroll
        for (int y = 0; y < EACH; y++) {
#pragma unroll
            for (int x = 0; x < EACH; x++) {
                sums[y][x] += r[y] * c[x];
            }
        }
    }
#pragma unroll
    for (int y = 0; y < EACH; y++) {
#pragma unroll
        for (int x = 0; x < EACH; x++) {
            if (top + i + y < N && side + j + x < N) {
                LU[(top + i + y) * N + side + j + x] -= sums[y][x];
            }
        }
    }
}

extern "C" void solve(const float* A, float* LU, int N) {
    prepare<<<dim3((N + 255) / 256, N), 256>>>(A, LU, N);
    for (int first = 0; first < N; first += PANEL) {
        diagonal<<<1, dim3(PANEL, PANEL)>>>(LU, N, first);
        int rest = N - first - PANEL;
        if (rest > 0) {
            panels<<<dim3((rest + ROWS - 1) / ROWS, 2), ROWS>>>(LU, N, first);
            int tiles = (rest + TILE - 1) / TILE;
            update<<<dim3(tiles, tiles), (TILE / EACH) * (TILE / EACH)>>>(LU, N, first);
        }
    }
}
