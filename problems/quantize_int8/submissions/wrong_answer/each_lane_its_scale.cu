// expect: wrong_answer wrong_value
//
// Quantise to int8 whose lanes keep their maxima for themselves.
//
// Each lane quantises by a scale of its own, and only that of lane 0 is stored.

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
    bool zero = maximum < 0x1p-100f;
    float scale = zero ? 0.0f : maximum / 127.0f;
    float inverse = zero ? 0.0f : 127.0f / maximum;
    for (int j = lane; j < N; j += 32) {
        int whole = __float2int_rn(input[first + j] * inverse);
        quantized[first + j] = whole;
        restored[first + j] = whole * scale;
    }
    if (lane == 0) {
        scales[row] = scale;
    }
}
