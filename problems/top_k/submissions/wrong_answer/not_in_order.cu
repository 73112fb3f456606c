// expect: wrong_answer wrong_value
//
// Top-k that replaces the smallest element, wherever the new one belongs.
//
// The list has the right elements only as long as its last one is the smallest.

#define MOST 32

__global__ void top_k_kernel(const float* input, float* output, int M, int N, int K) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* row = input + (size_t)blockIdx.x * N;
    float list[MOST];
    for (int r = 0; r < K; r++) {
        list[r] = -INFINITY;
    }
    for (int j = 0; j < N; j++) {
        float x = row[j];
        if (x > list[K - 1]) {
            list[K - 1] = x;
        }
    }
    for (int r = 0; r < K; r++) {
        output[(size_t)blockIdx.x * K + r] = list[r];
    }
}
