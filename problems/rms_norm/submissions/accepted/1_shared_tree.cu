// expect: accepted
//
// RMS norm, step 1: partial sums in registers, then a tree in shared memory.
//
// Every thread adds the squares of its own elements. The tree needs a barrier after every level, which all threads
// reach.

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
    float scale = rsqrtf(parts[0] / N + 1e-5f);
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = row[j] * scale * weight[j];
    }
}
