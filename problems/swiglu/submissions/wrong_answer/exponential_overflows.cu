// expect: wrong_answer
//
// silu(x) as x exp(x) / (1 + exp(x)): beyond 88 the exponential is infinite, and infinity divided by itself is no number.
// Dividing by 1 + exp(-x) is right everywhere, since there the infinity of numbers far below zero makes the quotient zero.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float e = expf(gate[i]);
        output[i] = gate[i] * (e / (1.0f + e)) * value[i];
    }
}
