// expect: accepted
//
// Grouped matrix multiplication, step 2: tiles in shared memory, group by group.
//
// Added to step 1: a block searches the group of its first row and goes on to that of its last one. For each it loads
// tiles of all of its rows and of the group's matrix, and the rows of the group make their products. Each element that
// is loaded serves TILE products. Most blocks have one group; one that lies across an end loads its rows twice.

#define TILE 16

__global__ void grouped_matmul_kernel(const float* X, const float* W, const int* offsets, float* Y, int T, int G, int K,
                                      int N) {
    __shared__ float x[TILE][TILE];
    __shared__ float w[TILE][TILE];
    int n = blockIdx.x * TILE + threadIdx.x;
    int first = blockIdx.y * TILE;
    int t = first + threadIdx.y;
    int g = 0;
    int last = G - 1;
    while (g < last) {
        int middle = (g + last + 1) / 2;
        if (offsets[middle] <= first) {
            g = middle;
        } else {
            last = middle - 1;
        }
    }
    for (; g < G && offsets[g] < first + TILE; g++) {
        if (offsets[g + 1] == offsets[g]) {
            continue;
        }
        bool own = t >= offsets[g] && t < offsets[g + 1];
        float sum = 0.0f;
        for (int start = 0; start < K; start += TILE) {
            int k = start + threadIdx.x;
            x[threadIdx.y][threadIdx.x] = t < T && k < K ? X[(size_t)t * K + k] : 0.0f;
            k = start + threadIdx.y;
            w[threadIdx.y][threadIdx.x] = n < N && k < K ? W[((size_t)g * K + k) * N + n] : 0.0f;
            __syncthreads();
            if (own) {
                for (int i = 0; i < TILE; i++) {
                    sum += x[threadIdx.y][i] * w[i][threadIdx.x];
                }
            }
            __syncthreads();
        }
        if (own && n < N) {
            Y[(size_t)t * N + n] = sum;
        }
    }
}
