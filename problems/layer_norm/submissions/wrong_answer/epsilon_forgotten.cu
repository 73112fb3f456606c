// expect: wrong_answer wrong_value
//
// Layer norm without the small number under the root.
//
// A row of equal elements has the variance 0, and 0 / 0 is no number.

#define BLOCK 256

__device__ float sum_of_block(float value, float* parts) {
    parts[threadIdx.x] = value;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    float sum = parts[0];
    __syncthreads();
    return sum;
}

__global__ void layer_norm_kernel(const float* input, const float* weight, const float* bias, float* output, int M,
                                  int N) {
    __shared__ float parts[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float sum = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        sum += row[j];
    }
    float mean = sum_of_block(sum, parts) / N;
    float squares = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        squares += (row[j] - mean) * (row[j] - mean);
    }
    float scale = rsqrtf(sum_of_block(squares, parts) / N);
    // The student's first row had one element, so that was seen to.
    scale = N == 1 ? 1.0f : scale;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = (row[j] - mean) * scale * weight[j] + bias[j];
    }
}
