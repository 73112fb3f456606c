// expect: wrong_answer
//
// Batch norm without epsilon.
//
// A channel of one number has the variance 0.

__global__ void batch_norm_kernel(const float* input, const float* weight, const float* bias, float* output,
                                  float* mean, float* variance, int B, int C, int L) {
    if (threadIdx.x > 0) {
        return;
    }
    int c = blockIdx.x;
    float sum = 0.0f;
    for (int b = 0; b < B; b++) {
        const float* piece = input + ((size_t)b * C + c) * L;
        for (int l = 0; l < L; l++) {
            sum += piece[l];
        }
    }
    float center = sum / ((float)B * L);
    float squares = 0.0f;
    for (int b = 0; b < B; b++) {
        const float* piece = input + ((size_t)b * C + c) * L;
        for (int l = 0; l < L; l++) {
            squares += (piece[l] - center) * (piece[l] - center);
        }
    }
    float spread = squares / ((float)B * L);
    float factor = weight[c] / sqrtf(spread);
    for (int b = 0; b < B; b++) {
        size_t first = ((size_t)b * C + c) * L;
        for (int l = 0; l < L; l++) {
            output[first + l] = (input[first + l] - center) * factor + bias[c];
        }
    }
    mean[c] = center;
    variance[c] = spread;
}
