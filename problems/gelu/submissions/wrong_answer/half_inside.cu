// expect: wrong_answer
//
// GELU computed in half precision.
//
// The student thought that an activation needs no digits. The arrays are fp32, and 11 bits of 24 remain.

#include <cuda_fp16.h>

__global__ void gelu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = __half2float(__float2half(input[i]));
        float z = 0.7978845608f * (x + 0.044715f * x * x * x);
        output[i] = __half2float(__float2half(x / (1.0f + expf(-2.0f * z))));
    }
}
