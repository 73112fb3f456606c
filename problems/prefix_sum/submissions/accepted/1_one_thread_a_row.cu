// expect: accepted
//
// Prefix sum, step 1: the first thread of each block adds up its row.
//
// Right, and as slow as it looks: one thread of 256 works, and each addition waits for the one before. Rows at least
// run side by side.

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    if (threadIdx.x == 0) {
        const float* row = input + blockIdx.x * N;
        float* sums = output + blockIdx.x * N;
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            sum += row[j];
            sums[j] = sum;
        }
    }
}
