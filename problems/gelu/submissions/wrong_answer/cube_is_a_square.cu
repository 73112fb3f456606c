// expect: wrong_answer wrong_value
//
// GELU with x squared where x cubed belongs.
//
// The student lost a factor. For x near 0 and x near 1 the difference is small.

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = input[i];
        float z = 0.7978845608f * (x + 0.044715f * x * x);
        output[i] = x / (1.0f + expf(-2.0f * z));
    }
}
