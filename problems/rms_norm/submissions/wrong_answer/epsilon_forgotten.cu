// expect: wrong_answer wrong_value
//
// RMS norm without the small number under the root.
//
// In a row of zeros the root is 0, its inverse infinite, and 0 times infinity no number.

#define BLOCK 256

__global__ void rms_norm_kernel(const float* input, const float* weight, float* output, int M, int N) {
    __shared__ float parts[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float squares = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        squares += row[j] * row[j];
    }
    parts[threadIdx.x] = squares;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    float scale = rsqrtf(parts[0] / N);
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = row[j] * scale * weight[j];
    }
}
