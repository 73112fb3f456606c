// expect: accepted
//
// Softmax, step 3: the largest and the sum in one pass (Milakov and Gimelshein, 2018).
//
// Added to step 2: a thread keeps the largest element so far and the sum relative to it. A new largest scales the
// sum by exp(old - new), once for four elements, which are on their way together: five exponentials instead of eight.
// Two such pairs are joined in the same way, by shuffles in a warp and by one warp at the end. The row is read twice
// instead of three times: a third of the traffic less where it doesn't fit into a cache.

#define BLOCK 128
#define AHEAD 4

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
    for (int start = threadIdx.x; start < N; start += AHEAD * BLOCK) {
        float x[AHEAD];
        float largest = own.largest;
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            // Behind the end: exp(-infinity) adds nothing.
            x[k] = start + k * BLOCK < N ? row[start + k * BLOCK] : -INFINITY;
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            largest = fmaxf(largest, x[k]);
        }
        if (largest > own.largest) {
            own = {largest, own.sum * expf(own.largest - largest)};
        }
        if (largest > -INFINITY) {
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                own.sum += expf(x[k] - largest);
            }
        }
    }
    own = join_warp(own);
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[warp] = own;
    }
    __syncthreads();
    own = join_warp(lane < BLOCK / 32 ? parts[lane] : Part{-INFINITY, 0.0f});

    float scale = 1.0f / own.sum;
#pragma unroll 4
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = expf(row[j] - own.largest) * scale;
    }
}
