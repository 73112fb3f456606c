// expect: wrong_answer changed_input
//
// SwiGLU that keeps the gate's SiLU in the gate's own array.
//
// The student saved a scratch array by casting away a const. The output is right, but the caller's gate is gone.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float* gated = const_cast<float*>(gate);
        gated[i] = gate[i] / (1.0f + expf(-gate[i]));
        output[i] = gated[i] * value[i];
    }
}
