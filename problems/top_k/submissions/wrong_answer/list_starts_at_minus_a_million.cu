// expect: wrong_answer wrong_value
//
// Top-k whose list starts at -1,000,000.
//
// The student took it for less than any element. A row that lies lower gives numbers that were never there.

#define MOST 32

__global__ void top_k_kernel(const float* input, float* output, int M, int N, int K) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* row = input + (size_t)blockIdx.x * N;
    float list[MOST];
    for (int r = 0; r < K; r++) {
        list[r] = -1e6f;
    }
    for (int j = 0; j < N; j++) {
        float x = row[j];
        if (x > list[K - 1]) {
            int r = K - 1;
            for (; r > 0 && list[r - 1] < x; r--) {
                list[r] = list[r - 1];
            }
            list[r] = x;
        }
    }
    for (int r = 0; r < K; r++) {
        output[(size_t)blockIdx.x * K + r] = list[r];
    }
}
