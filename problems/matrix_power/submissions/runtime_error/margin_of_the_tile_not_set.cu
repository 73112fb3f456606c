// expect: runtime_error uninitialized_read
//
// Matrix powers by 4 x 4 numbers of a matrix whose margin is missing.
//
// Where N is no multiple of 4, the last four rows reach beyond the matrix.

#define LARGEST 32
#define EACH 4
#define BLOCK ((LARGEST / EACH) * (LARGEST / EACH))
#define WIDTH (LARGEST + 4)

// sums[y][x] += left[y] * right[x]
__device__ __forceinline__ void add_products(unsigned int (&sums)[EACH][EACH], uint4 left, uint4 right) {
    unsigned int rows[EACH] = {left.x, left.y, left.z, left.w};
    unsigned int columns[EACH] = {right.x, right.y, right.z, right.w};
#pragma unroll
    for (int y = 0; y < EACH; y++) {
#pragma unroll
        for (int x = 0; x < EACH; x++) {
            sums[y][x] += rows[y] * columns[x];
        }
    }
}

// Stores 4 x 4 numbers with rows and columns exchanged.
__device__ __forceinline__ void store_turned(unsigned int (&matrix)[LARGEST][WIDTH], unsigned int (&sums)[EACH][EACH],
                                             int i, int j) {
#pragma unroll
    for (int x = 0; x < EACH; x++) {
        *reinterpret_cast<uint4*>(&matrix[j + x][i]) = make_uint4(sums[0][x], sums[1][x], sums[2][x], sums[3][x]);
    }
}

__global__ void __launch_bounds__(BLOCK)
    power_kernel(const unsigned int* __restrict__ A, const int* __restrict__ exponents, unsigned int* __restrict__ C,
                 int BATCH, int N) {
    __shared__ __align__(16) unsigned int square[LARGEST][WIDTH];
    __shared__ __align__(16) unsigned int turned_square[LARGEST][WIDTH];
    __shared__ __align__(16) unsigned int turned_result[LARGEST][WIDTH];
    size_t first = (size_t)blockIdx.x * N * N;
    for (int place = threadIdx.x; place < LARGEST * LARGEST; place += BLOCK) {
        int i = place / LARGEST;
        int j = place % LARGEST;
        if (i >= N || j >= N) {
            continue;
        }
        unsigned int number = A[first + i * N + j];
        square[i][j] = number;
        turned_square[j][i] = number;
        turned_result[j][i] = i == j;
    }
    __syncthreads();
    int i = threadIdx.x / (LARGEST / EACH) * EACH;
    int j = threadIdx.x % (LARGEST / EACH) * EACH;
    int e = exponents[blockIdx.x];
    while (e > 0) {
        bool odd = e % 2 == 1;
        e /= 2;
        unsigned int powers[EACH][EACH] = {};
        unsigned int squares[EACH][EACH] = {};
        if (odd) {
#pragma unroll 4
            for (int k = 0; k < N; k++) {
                uint4 right = *reinterpret_cast<const uint4*>(&square[k][j]);
                add_products(powers, *reinterpret_cast<const uint4*>(&turned_result[k][i]), right);
                add_products(squares, *reinterpret_cast<const uint4*>(&turned_square[k][i]), right);
            }
        } else {
#pragma unroll 4
            for (int k = 0; k < N; k++) {
                uint4 right = *reinterpret_cast<const uint4*>(&square[k][j]);
                add_products(squares, *reinterpret_cast<const uint4*>(&turned_square[k][i]), right);
            }
        }
        __syncthreads();
        if (odd) {
            store_turned(turned_result, powers, i, j);
        }
        if (e > 0) {
            store_turned(turned_square, squares, i, j);
#pragma unroll
            for (int y = 0; y < EACH; y++) {
                *reinterpret_cast<uint4*>(&square[i + y][j]) =
                    make_uint4(squares[y][0], squares[y][1], squares[y][2], squares[y][3]);
            }
        }
        __syncthreads();
    }
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        C[first + place] = turned_result[place % N][place / N];
    }
}
