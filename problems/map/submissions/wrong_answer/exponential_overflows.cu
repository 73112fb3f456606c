// expect: wrong_answer
//
// The logistic function as exp(x) / (1 + exp(x)): beyond 88 the exponential is infinite, and infinity divided by itself is
// no number. 1 / (1 + exp(-x)) is right everywhere.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float e = expf(input[i]);
        output[i] = e / (1.0f + e);
    }
}
