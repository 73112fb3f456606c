#define BLOCK 256

struct Part {
    float largest;
    float sum;
};

__device__ __forceinline__ Part join(Part a, Part b) {
    float largest = fmaxf(a.largest, b.largest);
    if (largest == -INFINITY) {
        return a;
    }
    return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
}

__device__ __forceinline__ Part join_warp(Part part) {
    for (int distance = 16; distance > 0; distance /= 2) {
        Part other = {__shfl_xor_sync(0xffffffff, part.largest, distance),
                      __shfl_xor_sync(0xffffffff, part.sum, distance)};
        part = join(part, other);
    }
    return part;
}

__global__ void softmax_kernel(const float* __restrict__ input, float* __restrict__ output, int M, int N) {
    __shared__ Part parts[32];
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;

    Part own = {-INFINITY, 0.0f};
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        own = join(own, {row[j], 1.0f});
    }
    own = join_warp(own);
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[warp] = own;
    }
    __syncthreads();
    own = join_warp(lane < BLOCK / 32 ? parts[lane] : Part{0.0f, 0.0f});

    float scale = 1.0f / own.sum;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = expf(row[j] - own.largest) * scale;
    }
}
