// expect: runtime_error data_race
//
// Cross-entropy without a barrier between the two uses of its array.
//
// A warp that has read the largest element stores its sum where a slower warp still wants to read the largest. It
// goes wrong now and then.

#define BLOCK 256

__global__ void cross_entropy_kernel(const float* logits, const int* labels, float* loss, int M, int N) {
    __shared__ float parts[BLOCK];
    const float* row = logits + (size_t)blockIdx.x * N;

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
    if (threadIdx.x == 0) {
        loss[blockIdx.x] = logf(parts[0]) + (largest - row[labels[blockIdx.x]]);
    }
}
