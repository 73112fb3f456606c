// expect: accepted
//
// Matrix multiplication, step 5: each thread computes a 2 x 2 block of C in registers.
//
// Until here every multiplication needed two reads of shared memory, which is what now limits the kernel. With a 2
// x 2 block, two elements of A and two of B serve four multiplications: half the reads. The launch gives one thread
// for each element of C, four times more than there are 2 x 2 blocks, so the threads split the work along k
// instead: they form four groups, each group computes the whole tile of C from its quarter of the k, and at the end
// the four partial sums of an element are added. All threads stay busy.
//
//     group 0: k =  0 ...  7   |
//     group 1: k =  8 ... 15   |  of each slab of 32
//     group 2: k = 16 ... 23   |
//     group 3: k = 24 ... 31   |

#define TILE 32

constexpr int ROWS = 2;                             // of C that a thread holds in registers
constexpr int COLUMNS = 2;                          // likewise
constexpr int GROUPS = ROWS * COLUMNS;              // so that the groups make up the whole block
constexpr int DEPTH = TILE / GROUPS;                // k of a slab that one group takes
constexpr int GROUP_COLUMNS = TILE / COLUMNS;       // threads side by side in a group
constexpr int GROUP_ROWS = TILE / ROWS;
constexpr int GROUP_SIZE = GROUP_COLUMNS * GROUP_ROWS;

// sum += a * b, column vector times row vector.
template <int HEIGHT, int WIDTH>
__device__ void add_outer_product(float (&sum)[HEIGHT][WIDTH], const float (&a)[HEIGHT], const float (&b)[WIDTH]) {
#pragma unroll
    for (int i = 0; i < HEIGHT; ++i) {
#pragma unroll
        for (int j = 0; j < WIDTH; ++j) {
            sum[i][j] += a[i] * b[j];
        }
    }
}

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    // One column more than needed: a warp reads two rows of tile_A at once, and the padding puts them in two banks.
    __shared__ float tile_A[TILE][TILE + 1];
    __shared__ float tile_B[TILE][TILE];
    __shared__ float partial[GROUPS][TILE][TILE];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int column = blockIdx.x * TILE + x;
    const int row = blockIdx.y * TILE + y;

    const int rank = y * TILE + x;
    const int group = rank / GROUP_SIZE;
    const int group_x = rank % GROUP_SIZE % GROUP_COLUMNS;
    const int group_y = rank % GROUP_SIZE / GROUP_COLUMNS;

    float sum[ROWS][COLUMNS] = {};
    for (int start = 0; start < N; start += TILE) {
        tile_A[y][x] = row < M && start + x < N ? A[row * N + start + x] : 0.0f;
        tile_B[y][x] = start + y < N && column < K ? B[(start + y) * K + column] : 0.0f;
        __syncthreads();

#pragma unroll
        for (int step = 0; step < DEPTH; ++step) {
            const int k = group * DEPTH + step;
            // A thread's rows and columns lie half a tile apart, so that neighbouring threads read neighbouring floats.
            const float a[ROWS] = {tile_A[group_y][k], tile_A[group_y + GROUP_ROWS][k]};
            const float b[COLUMNS] = {tile_B[k][group_x], tile_B[k][group_x + GROUP_COLUMNS]};
            add_outer_product(sum, a, b);
        }
        __syncthreads();
    }

    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < COLUMNS; ++j) {
            partial[group][group_y + i * GROUP_ROWS][group_x + j * GROUP_COLUMNS] = sum[i][j];
        }
    }
    __syncthreads();

    if (row < M && column < K) {
        float total = 0.0f;
        for (int g = 0; g < GROUPS; ++g) {
            total += partial[g][y][x];
        }
        C[row * K + column] = total;
    }
}
