// expect: accepted
//
// Layer norm, step 3: sums by shuffles, and the row in registers.
//
// Added to step 2: a warp adds up without shared memory, and one barrier brings the warps together. The first KEPT
// elements of each thread stay in registers, so that rows up to KEPT * BLOCK long are read once instead of three
// times.

#define BLOCK 256
#define KEPT 4

__device__ float sum_of_block(float own) {
    __shared__ float parts[2][BLOCK / 32];
    static_assert(BLOCK % 32 == 0, "whole warps");
    for (int distance = 16; distance > 0; distance /= 2) {
        own += __shfl_xor_sync(0xffffffff, own, distance);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        parts[0][threadIdx.x / 32] = own;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int warp = 0; warp < BLOCK / 32; warp++) {
        sum += parts[0][warp];
    }
    return sum;
}

__global__ void layer_norm_kernel(const float* __restrict__ input, const float* __restrict__ weight,
                                  const float* __restrict__ bias, float* __restrict__ output, int M, int N) {
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float kept[KEPT];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        int j = k * BLOCK + threadIdx.x;
        kept[k] = j < N ? row[j] : 0.0f;
        sum += kept[k];
    }
    for (int j = KEPT * BLOCK + threadIdx.x; j < N; j += BLOCK) {
        sum += row[j];
    }
    float mean = sum_of_block(sum) / N;

    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        float distance = k * BLOCK + threadIdx.x < N ? kept[k] - mean : 0.0f;
        squares += distance * distance;
    }
    for (int j = KEPT * BLOCK + threadIdx.x; j < N; j += BLOCK) {
        squares += (row[j] - mean) * (row[j] - mean);
    }
    float scale = rsqrtf(sum_of_block(squares) / N + 1e-5f);

#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        int j = k * BLOCK + threadIdx.x;
        if (j < N) {
            result[j] = (kept[k] - mean) * scale * weight[j] + bias[j];
        }
    }
    for (int j = KEPT * BLOCK + threadIdx.x; j < N; j += BLOCK) {
        result[j] = (row[j] - mean) * scale * weight[j] + bias[j];
    }
}
