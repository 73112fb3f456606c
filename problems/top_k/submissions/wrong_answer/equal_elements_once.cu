// expect: wrong_answer wrong_value
//
// Top-k of different elements.
//
// The student skipped elements that are in the list already.

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
            int r = 0;
            while (list[r] > x) {
                r++;
            }
            if (list[r] < x) {
                for (int later = K - 1; later > r; later--) {
                    list[later] = list[later - 1];
                }
                list[r] = x;
            }
        }
    }
    for (int r = 0; r < K; r++) {
        output[(size_t)blockIdx.x * K + r] = list[r];
    }
}
