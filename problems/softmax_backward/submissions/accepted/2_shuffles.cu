// expect: accepted
//
// Softmax backward, step 2: all threads of the block, joined by shuffles.
//
// Added to step 1: each thread takes every BLOCK-th element. Five shuffles give every lane its warp's sum, and the
// warps meet in shared memory once. Expect most of the block's width as the gain.

#define BLOCK 256

__device__ __forceinline__ float sum_of_warp(float sum) {
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    return sum;
}

__global__ void softmax_backward_kernel(const float* output, const float* upstream, float* gradient, int M, int N) {
    __shared__ float parts[BLOCK / 32];
    const float* y = output + (size_t)blockIdx.x * N;
    const float* dy = upstream + (size_t)blockIdx.x * N;
    float* dx = gradient + (size_t)blockIdx.x * N;
    float dot = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        dot += y[j] * dy[j];
    }
    dot = sum_of_warp(dot);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[threadIdx.x / 32] = dot;
    }
    __syncthreads();
    dot = sum_of_warp(lane < BLOCK / 32 ? parts[lane] : 0.0f);
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        dx[j] = y[j] * (dy[j] - dot);
    }
}
