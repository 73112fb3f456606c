// expect: runtime_error out_of_bounds
//
// RMS norm whose tree reads beyond the array of its block.
//
// The student started the tree with the whole block instead of its half.

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
    for (int half = BLOCK; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];  // <- here
        }
        __syncthreads();
    }
    float scale = rsqrtf(parts[0] / N + 1e-5f);
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = row[j] * scale * weight[j];
    }
}
