#define BLOCK 256

__device__ float sum_of_block(float own) {
    __shared__ float parts[BLOCK];
    __syncthreads();
    parts[threadIdx.x] = own;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    return parts[0];
}

__global__ void layer_norm_kernel(const float* input, const float* weight, const float* bias, float* output, int M,
                                  int N) {
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float sum = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        sum += row[j];
    }
    float mean = sum_of_block(sum) / N;
    float squares = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        squares += (row[j] - mean) * (row[j] - mean);
    }
    float scale = rsqrtf(sum_of_block(squares) / (N - 1) + 1e-5f);
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = (row[j] - mean) * scale * weight[j] + bias[j];
    }
}
