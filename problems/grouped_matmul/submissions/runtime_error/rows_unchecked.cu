// expect: runtime_error out_of_bounds
//
// Grouped matrix multiplication whose last tile reads rows behind the last one.

#define TILE 16

__global__ void grouped_matmul_kernel(const float* X, const float* W, const int* offsets, float* Y, int T, int G, int K,
                                      int N) {
    __shared__ float x[TILE][TILE];
    __shared__ float w[TILE][TILE];
    int n = blockIdx.x * TILE + threadIdx.x;
    int first = blockIdx.y * TILE;
    int t = first + threadIdx.y;
    for (int g = 0; g < G; g++) {
        if (offsets[g] >= first + TILE || offsets[g + 1] <= first) {
            continue;
        }
        float sum = 0.0f;
        for (int start = 0; start < K; start += TILE) {
            int k = start + threadIdx.x;
            x[threadIdx.y][threadIdx.x] = k < K ? X[(size_t)t * K + k] : 0.0f;  // <- here
            k = start + threadIdx.y;
            w[threadIdx.y][threadIdx.x] = n < N && k < K ? W[((size_t)g * K + k) * N + n] : 0.0f;
            __syncthreads();
            for (int i = 0; i < TILE; i++) {
                sum += x[threadIdx.y][i] * w[i][threadIdx.x];
            }
            __syncthreads();
        }
        if (t >= offsets[g] && t < offsets[g + 1] && n < N) {
            Y[(size_t)t * N + n] = sum;
        }
    }
}
