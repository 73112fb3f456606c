// expect: accepted
//
// RMS norm, step 3: four elements at a time, by float4.
//
// Added to step 2: one instruction moves 16 bytes. A row begins at a multiple of 16 bytes if N is a multiple of
// four, and only then; all other rows go the way of step 2.

#define BLOCK 256

__device__ __forceinline__ float sum_of_block(float own) {
    __shared__ float parts[BLOCK / 32];
    for (int distance = 16; distance > 0; distance /= 2) {
        own += __shfl_xor_sync(0xffffffff, own, distance);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = own;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int warp = 0; warp < BLOCK / 32; warp++) {
        sum += parts[warp];
    }
    return sum;
}

__global__ void rms_norm_kernel(const float* __restrict__ input, const float* __restrict__ weight,
                                float* __restrict__ output, int M, int N) {
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    const float4* row4 = reinterpret_cast<const float4*>(row);
    const float4* weight4 = reinterpret_cast<const float4*>(weight);
    float4* result4 = reinterpret_cast<float4*>(result);
    int fours = N % 4 == 0 ? N / 4 : 0;

    float squares = 0.0f;
    for (int j = threadIdx.x; j < fours; j += BLOCK) {
        float4 x = row4[j];
        squares += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    }
    for (int j = 4 * fours + threadIdx.x; j < N; j += BLOCK) {
        squares += row[j] * row[j];
    }
    float scale = rsqrtf(sum_of_block(squares) / N + 1e-5f);

    for (int j = threadIdx.x; j < fours; j += BLOCK) {
        float4 x = row4[j];
        float4 w = weight4[j];
        result4[j] = make_float4(x.x * scale * w.x, x.y * scale * w.y, x.z * scale * w.z, x.w * scale * w.w);
    }
    for (int j = 4 * fours + threadIdx.x; j < N; j += BLOCK) {
        result[j] = row[j] * scale * weight[j];
    }
}
