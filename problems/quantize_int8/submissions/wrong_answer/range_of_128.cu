// expect: wrong_answer wrong_value
//
// Quantise to int8 with a scale of maximum / 128.
//
// There is a byte -128, but none for 128: the largest element of a row becomes the smallest.

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
    bool zero = maximum < 0x1p-100f;
    float scale = zero ? 0.0f : maximum / 128.0f;
    float inverse = zero ? 0.0f : 128.0f / maximum;
    for (int j = 0; j < N; j++) {
        float whole = rintf(input[first + j] * inverse);
        quantized[first + j] = (signed char)whole;
        restored[first + j] = whole * scale;
    }
    scales[row] = scale;
}
