// expect: accepted
//
// Matrix powers, step 3: 4 x 4 numbers of both products a thread.
//
// Added to step 2: the left factors lie turned in shared memory, so that four rows' numbers are one uint4. Three reads
// of 16 bytes make 32 products; in step 2 that took 48 reads. The square after the last bit is left out. Matrices of up
// to 16 x 16 numbers have 2 x 2 of them a thread, so that all 64 threads have work. What limits the kernel is integer
// arithmetic, then; expect three times the speed of step 2 or more.

#define LARGEST 32
#define BLOCK 64

template <int EACH>
struct Numbers;
template <>
struct Numbers<2> {
    typedef uint2 type;
};
template <>
struct Numbers<4> {
    typedef uint4 type;
};

// Loads or stores EACH neighbours at once.
template <int EACH>
__device__ __forceinline__ void move(unsigned int* to, const unsigned int* from) {
    typedef typename Numbers<EACH>::type Vector;
    *reinterpret_cast<Vector*>(to) = *reinterpret_cast<const Vector*>(from);
}

// sums[y][x] += left[y] * right[x]
template <int EACH>
__device__ __forceinline__ void add_products(unsigned int (&sums)[EACH][EACH], const unsigned int* left,
                                             const unsigned int (&right)[EACH]) {
    alignas(16) unsigned int rows[EACH];
    move<EACH>(rows, left);
#pragma unroll
    for (int y = 0; y < EACH; y++) {
#pragma unroll
        for (int x = 0; x < EACH; x++) {
            sums[y][x] += rows[y] * right[x];
        }
    }
}

// The power of one matrix of up to SIDE x SIDE numbers; each thread has EACH x EACH of them.
template <int SIDE, int EACH>
struct Power {
    unsigned int square[SIDE][SIDE + 4];
    unsigned int turned_square[SIDE][SIDE + 4];
    unsigned int turned_result[SIDE][SIDE + 4];

    // Stores numbers with rows and columns exchanged.
    __device__ __forceinline__ static void store_turned(unsigned int (&matrix)[SIDE][SIDE + 4],
                                                        const unsigned int (&sums)[EACH][EACH], int i, int j) {
#pragma unroll
        for (int x = 0; x < EACH; x++) {
            alignas(16) unsigned int column[EACH];
#pragma unroll
            for (int y = 0; y < EACH; y++) {
                column[y] = sums[y][x];
            }
            move<EACH>(&matrix[j + x][i], column);
        }
    }

    __device__ __forceinline__ void compute(const unsigned int* __restrict__ from, int e, unsigned int* __restrict__ to,
                                            int N) {
        for (int place = threadIdx.x; place < SIDE * SIDE; place += BLOCK) {
            int i = place / SIDE;
            int j = place % SIDE;
            unsigned int number = i < N && j < N ? from[i * N + j] : 0;
            square[i][j] = number;
            turned_square[j][i] = number;
            turned_result[j][i] = i == j;
        }
        __syncthreads();
        int i = threadIdx.x / (SIDE / EACH) * EACH;
        int j = threadIdx.x % (SIDE / EACH) * EACH;
        while (e > 0) {
            bool odd = e % 2 == 1;
            e /= 2;
            alignas(16) unsigned int powers[EACH][EACH] = {};
            alignas(16) unsigned int squares[EACH][EACH] = {};
            alignas(16) unsigned int right[EACH];
            if (odd) {
#pragma unroll 4
                for (int k = 0; k < N; k++) {
                    move<EACH>(right, &square[k][j]);
                    add_products(powers, &turned_result[k][i], right);
                    add_products(squares, &turned_square[k][i], right);
                }
            } else {
#pragma unroll 4
                for (int k = 0; k < N; k++) {
                    move<EACH>(right, &square[k][j]);
                    add_products(squares, &turned_square[k][i], right);
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
                    move<EACH>(&square[i + y][j], squares[y]);
                }
            }
            __syncthreads();
        }
        for (int place = threadIdx.x; place < N * N; place += BLOCK) {
            to[place] = turned_result[place % N][place / N];
        }
    }
};

union Room {
    Power<LARGEST, 4> large;
    Power<LARGEST / 2, 2> small;
};

__global__ void __launch_bounds__(BLOCK)
    power_kernel(const unsigned int* __restrict__ A, const int* __restrict__ exponents, unsigned int* __restrict__ C,
                 int BATCH, int N) {
    __shared__ __align__(16) Room room;
    size_t first = (size_t)blockIdx.x * N * N;
    if (N <= LARGEST / 2) {
        room.small.compute(A + first, exponents[blockIdx.x], C + first, N);
    } else {
        room.large.compute(A + first, exponents[blockIdx.x], C + first, N);
    }
}
