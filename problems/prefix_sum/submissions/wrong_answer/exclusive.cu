// expect: wrong_answer wrong_value
//
// Prefix sum that leaves the element itself out.
//
// This is the exclusive scan. It is just as useful, and not what was asked for.

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            output[blockIdx.x * N + j] = sum;
            sum += input[blockIdx.x * N + j];
        }
    }
}
