// expect: wrong_answer wrong_value
//
// Sigmoid with the sign of the exponent lost.
//
// The student copied the formula without its minus: this computes 1 - sigmoid(x), which is right at x = 0 only.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(input[i]));
    }
}
