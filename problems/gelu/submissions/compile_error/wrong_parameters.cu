// expect: compile_error
//
// GELU that asks for a block size as its last parameter.
//
// The launch passes the arrays and N, and nothing else.

__global__ void gelu_kernel(const float* input, float* output, int N, int block) {
    int i = blockIdx.x * block + threadIdx.x;
    if (i < N) {
        float x = input[i];
        output[i] = x / (1.0f + expf(-x * (1.5957691216f + 0.0713548163f * x * x)));
    }
}
