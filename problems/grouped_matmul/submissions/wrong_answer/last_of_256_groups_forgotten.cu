// expect: wrong_answer wrong_value
//
// Grouped matrix multiplication for 255 groups.
//
// There may be 256 groups, and the last one is number 255.

#define TILE 16

__global__ void grouped_matmul_kernel(const float* X, const float* W, const int* offsets, float* Y, int T, int G, int K,
                                      int N) {
    int n = blockIdx.x * TILE + threadIdx.x;
    int t = blockIdx.y * TILE + threadIdx.y;
    if (t >= T || n >= N) {
        return;
    }
    int g = 0;
    int last = min(G - 1, 254);
    while (g < last) {
        int middle = (g + last + 1) / 2;
        if (offsets[middle] <= t) {
            g = middle;
        } else {
            last = middle - 1;
        }
    }
    float sum = 0.0f;
    for (int k = 0; k < K; k++) {
        sum += X[(size_t)t * K + k] * W[((size_t)g * K + k) * N + n];
    }
    Y[(size_t)t * N + n] = sum;
}
