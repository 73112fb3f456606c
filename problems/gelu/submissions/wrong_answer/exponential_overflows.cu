// expect: wrong_answer
//
// GELU with tanh(z) as (exp(2z) - 1) / (exp(2z) + 1): beyond z = 44 the exponential is infinite, and infinity divided by
// itself is no number.

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = input[i];
        float e = expf(1.5957691216f * (x + 0.044715f * x * x * x));
        output[i] = x * (e / (e + 1.0f));
    }
}
