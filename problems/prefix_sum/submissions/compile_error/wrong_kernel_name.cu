// expect: compile_error
//
// Prefix sum under the name of the algorithm.
//
// The grader looks for the name that the statement gives.

__global__ void scan_kernel(const float* input, float* output, int M, int N) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j) {
        sum += input[blockIdx.x * N + j];
        output[blockIdx.x * N + j] = sum;
    }
}
