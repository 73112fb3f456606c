// expect: wrong_answer wrong_value
//
// Top-p sampling that takes the likeliest token.
//
// That is what is drawn with a share of 0, or with luck.

#define BLOCK 256

__global__ void top_p_kernel(const int* weights, const int* shares, const unsigned int* draws, int* tokens, int M,
                             int N) {
    if (threadIdx.x == 0) {
        const int* row = weights + (size_t)blockIdx.x * N;
        int best = 0;
        for (int j = 1; j < N; j++) {
            best = row[j] > row[best] ? j : best;
        }
        tokens[blockIdx.x] = best;
    }
}
