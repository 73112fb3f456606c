// expect: accepted
//
// SwiGLU, step 1: one thread computes one element.
//
// Both functions happen in registers: 8 bytes in, 4 bytes out, and nothing in between touches memory. Neighbouring
// threads touch neighbouring elements, which already runs near the speed of the memory.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = gate[i];
        output[i] = x / (1.0f + expf(-x)) * value[i];
    }
}
