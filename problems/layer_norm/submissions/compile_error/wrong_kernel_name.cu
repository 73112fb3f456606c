// expect: compile_error
//
// Layer norm under another name.
//
// The grader looks for the name that the statement gives.

__global__ void layernorm_kernel(const float* input, const float* weight, const float* bias, float* output, int M,
                                 int N) {
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        output[blockIdx.x * N + j] = input[blockIdx.x * N + j] * weight[j] + bias[j];
    }
}
