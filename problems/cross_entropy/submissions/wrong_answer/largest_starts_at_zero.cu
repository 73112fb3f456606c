// expect: wrong_answer wrong_value
//
// Cross-entropy whose largest element starts at 0.
//
// Far below zero all exponentials are 0 then, and the logarithm is minus infinity.

#define BLOCK 256

__global__ void cross_entropy_kernel(const float* logits, const int* labels, float* loss, int M, int N) {
    __shared__ float parts[BLOCK];
    const float* row = logits + (size_t)blockIdx.x * N;

    float largest = 0.0f;
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
    __syncthreads();

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
    if (threadIdx.x == 0) {
        loss[blockIdx.x] = logf(parts[0]) + (largest - row[labels[blockIdx.x]]);
    }
}
