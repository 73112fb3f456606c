// expect: accepted
//
// GELU, step 1: one thread for each element.
//
// The form with the exponential: x / (1 + exp(-2z)). For very negative x the exponential overflows to infinity, and
// the quotient is the 0 that it should be.

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = input[i];
        float z = 0.7978845608f * (x + 0.044715f * x * x * x);
        output[i] = x / (1.0f + expf(-2.0f * z));
    }
}
