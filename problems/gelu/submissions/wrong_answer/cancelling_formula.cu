// expect: wrong_answer
//
// GELU by 1 + tanh(z).
//
// The formula as papers print it. For x below -2, tanh(z) is so near to -1 that the sum loses most of its digits; a
// network would not notice, but this is not what fp32 can do.

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = input[i];
        float z = 0.7978845608f * (x + 0.044715f * x * x * x);
        output[i] = 0.5f * x * (1.0f + tanhf(z));
    }
}
