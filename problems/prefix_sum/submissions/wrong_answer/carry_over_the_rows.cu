// expect: wrong_answer wrong_value
//
// Prefix sum over the whole matrix in one go.
//
// The student saw one long array in memory. Each row starts again at its own first element.

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float sum = 0.0f;
        for (int j = 0; j < M * N; ++j) {
            sum += input[j];
            output[j] = sum;
        }
    }
}
