// expect: accepted
//
// Top-k, step 1: one thread inserts the elements of a row into a sorted list.
//
// Most elements are no larger than the last of the list and cost one comparison. All other threads of the block are
// idle.

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
