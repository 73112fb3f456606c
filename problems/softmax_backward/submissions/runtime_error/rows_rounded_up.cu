// expect: runtime_error out_of_bounds
//
// Softmax backward that stores whole blocks of gradients.
//
// The last threads write behind the row, and behind the matrix.

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
    for (int begin = 0; begin < N; begin += BLOCK) {
        int j = begin + threadIdx.x;
        dx[j] = y[j] * (dy[j] - dot);  // <- here
    }
}
