#define BLOCK 256

__device__ __forceinline__ float sum_of_warp(float own) {
    for (int distance = 16; distance > 0; distance /= 2) {
        own += __shfl_xor_sync(0xffffffff, own, distance);
    }
    return own;
}

__global__ void rms_norm_kernel(const float* input, const float* weight, float* output, int M, int N) {
    __shared__ float parts[BLOCK / 32];
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float squares = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        squares += row[j] * row[j];
    }
    squares = sum_of_warp(squares);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[threadIdx.x / 32] = squares;
    }
    __syncthreads();
    squares = sum_of_warp(parts[lane]);
    float scale = rsqrtf(squares / N + 1e-5f);
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = row[j] * scale * weight[j];
    }
}
