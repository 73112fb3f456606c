// expect: compile_error
//
// 1D convolution under another name.
//
// The grader looks for the name that the statement gives.

__global__ void convolution_1d_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = weights[0] * input[i];
    }
}
