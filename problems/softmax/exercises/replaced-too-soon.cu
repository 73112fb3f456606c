#define BLOCK 256

__global__ void softmax_kernel(const float* input, float* output, int M, int N) {
    __shared__ float parts[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;

    float largest = -INFINITY;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        largest = fmaxf(largest, row[j]);
    }
    parts[threadIdx.x] = largest;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
        }
        __syncthreads();
    }
    largest = parts[0];

    float sum = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        sum += expf(row[j] - largest);
    }
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    sum = parts[0];

    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = expf(row[j] - largest) / sum;
    }
}
