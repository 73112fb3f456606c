// expect: wrong_answer wrong_value
//
// Quantise to int8 that asks for zero only.
//
// With a maximum of 2^-130 the inverse is infinite, and so is each product.

__global__ void quantize_kernel(const float* input, signed char* quantized, float* scales, float* restored, int M,
                                int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= M || threadIdx.x % 32 > 0) {
        return;
    }
    size_t first = (size_t)row * N;
    float maximum = 0.0f;
    for (int j = 0; j < N; j++) {
        maximum = fmaxf(maximum, fabsf(input[first + j]));
    }
    bool zero = maximum == 0.0f;
    float scale = zero ? 0.0f : maximum / 127.0f;
    float inverse = zero ? 0.0f : 127.0f / maximum;
    for (int j = 0; j < N; j++) {
        float whole = rintf(input[first + j] * inverse);
        quantized[first + j] = (signed char)whole;
        restored[first + j] = whole * scale;
    }
    scales[row] = scale;
}
