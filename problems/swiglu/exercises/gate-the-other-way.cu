__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = gate[i];
        output[i] = x / (1.0f + expf(x)) * value[i];
    }
}
