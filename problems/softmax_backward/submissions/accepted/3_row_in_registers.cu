// expect: accepted
//
// Softmax backward, step 3: the row stays in registers, and moves by float4.
//
// Added to step 2: a thread keeps up to two float4 of each input, so that a row of up to 1024 elements is read once: 12
// bytes an element instead of 20. Of a longer row only what exceeds that is read again. Rows begin anywhere; the up to
// three elements at each end are done one by one. Blocks have 128 threads: with float4 a row of 256 elements needs 64, and
// what a multiprocessor holds at once are rows then, not idle threads and their registers.

#define BLOCK 128
#define KEPT 2

__device__ __forceinline__ float sum_of_warp(float sum) {
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    return sum;
}

__device__ __forceinline__ float dot_of(float4 y, float4 dy) {
    return y.x * dy.x + y.y * dy.y + (y.z * dy.z + y.w * dy.w);
}

__device__ __forceinline__ float4 gradient_of(float4 y, float4 dy, float dot) {
    return {y.x * (dy.x - dot), y.y * (dy.y - dot), y.z * (dy.z - dot), y.w * (dy.w - dot)};
}

__global__ void __launch_bounds__(BLOCK)
    softmax_backward_kernel(const float* __restrict__ output, const float* __restrict__ upstream,
                            float* __restrict__ gradient, int M, int N) {
    __shared__ float parts[BLOCK / 32];
    size_t first = (size_t)blockIdx.x * N;
    const float* y = output + first;
    const float* dy = upstream + first;
    float* dx = gradient + first;
    int before = min((int)(-first & 3), N);
    int fours = (N - before) / 4;
    const float4* y4 = reinterpret_cast<const float4*>(y + before);
    const float4* dy4 = reinterpret_cast<const float4*>(dy + before);
    float4* dx4 = reinterpret_cast<float4*>(dx + before);
    // Each of the first threads has one element before the fours, and one behind them.
    int head = threadIdx.x < before ? threadIdx.x : -1;
    int tail = before + 4 * fours + threadIdx.x;

    float4 kept_y[KEPT], kept_dy[KEPT];
    float dot = 0.0f;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        int place = k * BLOCK + threadIdx.x;
        if (place < fours) {
            kept_y[k] = y4[place];
            kept_dy[k] = dy4[place];
            dot += dot_of(kept_y[k], kept_dy[k]);
        }
    }
#pragma unroll 4
    for (int place = KEPT * BLOCK + threadIdx.x; place < fours; place += BLOCK) {
        dot += dot_of(y4[place], dy4[place]);
    }
    if (head >= 0) {
        dot += y[head] * dy[head];
    }
    if (tail < N) {
        dot += y[tail] * dy[tail];
    }

    dot = sum_of_warp(dot);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[threadIdx.x / 32] = dot;
    }
    __syncthreads();
    dot = sum_of_warp(lane < BLOCK / 32 ? parts[lane] : 0.0f);

#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        int place = k * BLOCK + threadIdx.x;
        if (place < fours) {
            dx4[place] = gradient_of(kept_y[k], kept_dy[k], dot);
        }
    }
#pragma unroll 4
    for (int place = KEPT * BLOCK + threadIdx.x; place < fours; place += BLOCK) {
        dx4[place] = gradient_of(y4[place], dy4[place], dot);
    }
    if (head >= 0) {
        dx[head] = y[head] * (dy[head] - dot);
    }
    if (tail < N) {
        dx[tail] = y[tail] * (dy[tail] - dot);
    }
}
