// expect: wrong_answer wrong_value
//
// GELU with exp(-z).
//
// The student turned tanh into an exponential and forgot that tanh(z) has exp(2z) in it.

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = input[i];
        float z = 0.7978845608f * (x + 0.044715f * x * x * x);
        output[i] = x / (1.0f + expf(-z));
    }
}
