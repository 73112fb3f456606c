// expect: wrong_answer changed_input
//
// GELU that keeps z in the input array.
//
// The student saved a register by writing z over x. The caller's input is gone, and x is no longer there when the
// quotient needs it.

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = input[i];
        float z = 0.7978845608f * (x + 0.044715f * x * x * x);
        const_cast<float*>(input)[i] = z;
        output[i] = x / (1.0f + expf(-2.0f * input[i]));
    }
}
