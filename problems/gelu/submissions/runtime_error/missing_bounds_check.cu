// expect: runtime_error out_of_bounds
//
// GELU without a bounds check.
//
// The last block is always complete, and its surplus threads read past the end.

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = input[i];  // <- here
    float z = 0.7978845608f * (x + 0.044715f * x * x * x);
    output[i] = x / (1.0f + expf(-2.0f * z));
}
