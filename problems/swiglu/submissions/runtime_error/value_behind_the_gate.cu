// expect: runtime_error out_of_bounds
//
// SwiGLU that looks for the value behind the gate.
//
// The student knew a layout in which both halves lie in one array, and took value to be a pointer to the whole.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = gate[i];
        output[i] = x / (1.0f + expf(-x)) * value[N + i];  // <- here
    }
}
