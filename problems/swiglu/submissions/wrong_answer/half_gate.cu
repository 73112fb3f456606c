// expect: wrong_answer low_precision
//
// SwiGLU that computes the gate in half precision.
//
// hexp is twice as fast as expf in a kernel that waits for memory all the time. A half keeps 11 of 24 significant bits.

#include <cuda_fp16.h>

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = __half2float(__float2half(gate[i]));
        output[i] = x / (1.0f + expf(-x)) * value[i];
    }
}
