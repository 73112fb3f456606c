// expect: wrong_answer
//
// SwiGLU by a formula that subtracts two nearly equal numbers.
//
// In real numbers 1 - 1 / (1 + exp(x)) equals 1 / (1 + exp(-x)). In fp32 the quotient is rounded near 1 for a
// negative x, and the difference consists of that rounding: from x = -17 on nothing is left of it.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = gate[i];
        output[i] = x * (1.0f - 1.0f / (1.0f + expf(x))) * value[i];
    }
}
