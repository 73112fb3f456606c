// expect: runtime_error data_race
//
// Batch norm whose second sum may overwrite the first.
//
// A warp that is done with the mean stores its part of the variance where a slower one still reads the mean.

#define BLOCK 256

__device__ __forceinline__ float sum_of_block(float sum) {
    __shared__ float parts[BLOCK / 32];
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    sum = lane < BLOCK / 32 ? parts[lane] : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    return sum;
}

__global__ void batch_norm_kernel(const float* input, const float* weight, const float* bias, float* output,
                                  float* mean, float* variance, int B, int C, int L) {
    int c = blockIdx.x;
    int elements = B * L;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < elements; k += BLOCK) {
        sum += input[((size_t)(k / L) * C + c) * L + k % L];
    }
    float center = sum_of_block(sum) / elements;
    float squares = 0.0f;
    for (int k = threadIdx.x; k < elements; k += BLOCK) {
        float distance = input[((size_t)(k / L) * C + c) * L + k % L] - center;
        squares += distance * distance;
    }
    float spread = sum_of_block(squares) / elements;
    float factor = weight[c] / sqrtf(spread + 1e-5f);
    float shift = bias[c];
    for (int k = threadIdx.x; k < elements; k += BLOCK) {
        size_t place = ((size_t)(k / L) * C + c) * L + k % L;
        output[place] = (input[place] - center) * factor + shift;
    }
    if (threadIdx.x == 0) {
        mean[c] = center;
        variance[c] = spread;
    }
}
