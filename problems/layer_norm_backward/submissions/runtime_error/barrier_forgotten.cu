// expect: runtime_error data_race
//
// Layer norm backward without a barrier before the warps meet.
//
// A warp reads the sums of others, which may not be there yet.

#define BLOCK 256

struct Sums {
    float g;
    float g_normal;
};

__device__ __forceinline__ Sums of_warp(Sums sums) {
    for (int distance = 16; distance > 0; distance /= 2) {
        sums.g += __shfl_xor_sync(0xffffffff, sums.g, distance);
        sums.g_normal += __shfl_xor_sync(0xffffffff, sums.g_normal, distance);
    }
    return sums;
}

__global__ void layer_norm_backward_kernel(const float* input, const float* weight, const float* mean,
                                           const float* inverse, const float* upstream, float* gradient,
                                           float* weight_gradient, float* bias_gradient, int M, int N) {
    __shared__ Sums parts[BLOCK / 32];
    size_t first = (size_t)blockIdx.x * N;
    float center = mean[blockIdx.x];
    float factor = inverse[blockIdx.x];
    Sums sums = {0.0f, 0.0f};
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        float normal = (input[first + j] - center) * factor;
        float g = upstream[first + j] * weight[j];
        sums.g += g;
        sums.g_normal += g * normal;
    }
    sums = of_warp(sums);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[threadIdx.x / 32] = sums;
    }
    sums = of_warp(lane < BLOCK / 32 ? parts[lane] : Sums{0.0f, 0.0f});
    float mean_g = sums.g / N;
    float mean_g_normal = sums.g_normal / N;

    for (int j = threadIdx.x; j < N; j += BLOCK) {
        float normal = (input[first + j] - center) * factor;
        float up = upstream[first + j];
        gradient[first + j] = factor * (up * weight[j] - mean_g - normal * mean_g_normal);
        atomicAdd(&weight_gradient[j], up * normal);
        atomicAdd(&bias_gradient[j], up);
    }
}
