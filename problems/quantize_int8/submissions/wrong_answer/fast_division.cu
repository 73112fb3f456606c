// expect: wrong_answer wrong_value
//
// Quantisation that divides by __fdividef.
//
// It multiplies by the reciprocal, which is another float for a quarter of the rows, and 0 for the largest maxima.

__global__ void quantize_kernel(const float* input, signed char* quantized, float* scales, float* restored, int M,
                                int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= M) {
        return;
    }
    size_t first = (size_t)row * N;
    float maximum = 0.0f;
    for (int j = lane; j < N; j += 32) {
        maximum = fmaxf(maximum, fabsf(input[first + j]));
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffff, maximum, distance));
    }
    bool zero = maximum < 0x1p-100f;
    float scale = zero ? 0.0f : maximum / 127.0f;
    float inverse = zero ? 0.0f : __fdividef(127.0f, maximum);
    for (int j = lane; j < N; j += 32) {
        int whole = __float2int_rn(input[first + j] * inverse);
        quantized[first + j] = whole;
        restored[first + j] = whole * scale;
    }
    if (lane == 0) {
        scales[row] = scale;
    }
}
