// expect: wrong_answer low_precision
//
// Rotary embedding with tables in fp16.
//
// The tables are small; the digits are lost in every element.

#include <cuda_fp16.h>

__global__ void rope_kernel(const float* input, const float* cosines, const float* sines, const int* positions,
                            float* output, int T, int HEADS, int HALF, int LENGTH) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= T * HEADS * HALF) {
        return;
    }
    int i = pair % HALF;
    int token = pair / HALF / HEADS;
    size_t angle = (size_t)positions[token] * HALF + i;
    float c = __half2float(__float2half(cosines[angle]));
    float s = __half2float(__float2half(sines[angle]));
    size_t first = (size_t)(pair / HALF) * 2 * HALF + i;
    float x = input[first];
    float y = input[first + HALF];
    output[first] = x * c - y * s;
    output[first + HALF] = y * c + x * s;
}
