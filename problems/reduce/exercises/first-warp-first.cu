#define BLOCK (1 << 9)

constexpr int WARP = 32;
constexpr int WARPS = BLOCK / WARP;
constexpr unsigned ALL_LANES = 0xffffffffu;

__device__ float warp_sum(float value) {
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(ALL_LANES, value, distance);
    }
    return value;
}

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[WARPS];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }

    int lane = threadIdx.x % WARP;
    int warp = threadIdx.x / WARP;
    sum = warp_sum(sum);
    if (lane == 0) {
        partial[warp] = sum;
    }

    if (warp == 0) {
        sum = warp_sum(lane < WARPS ? partial[lane] : 0.0f);
        if (lane == 0) {
            atomicAdd(output, sum);
        }
    }
}
