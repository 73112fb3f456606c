// expect: accepted
//
// Cross-entropy backward, step 2: all threads of the block, and two trees in shared memory.
//
// Added to step 1: each thread takes every BLOCK-th element; the largest and the sum of the block come from trees.
// The barrier between the two uses of the array keeps a fast warp from overwriting what a slow one still has to read.
// Expect most of the block's width as the gain.

#define BLOCK 256

__global__ void cross_entropy_backward_kernel(const float* logits, const int* labels, const float* upstream,
                                              float* gradient, int M, int N) {
    __shared__ float parts[BLOCK];
    const float* row = logits + (size_t)blockIdx.x * N;
    float* result = gradient + (size_t)blockIdx.x * N;

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
    float scale = upstream[blockIdx.x];
    float factor = 1.0f / parts[0];

    int label = labels[blockIdx.x];
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = (expf(row[j] - largest) * factor - (j == label ? 1.0f : 0.0f)) * scale;
    }
}
