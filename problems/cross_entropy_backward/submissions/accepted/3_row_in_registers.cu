// expect: accepted
//
// Cross-entropy backward, step 3: the row stays in registers, and moves by float4.
//
// Added to step 2: largest and sum are found in one pass, four elements at a time, and joined by shuffles. A thread
// keeps up to two float4, so that a row of up to 1024 elements is read once and written once: 8 bytes an element
// instead of 16. Of a longer row what exceeds that is read again. Rows begin anywhere; up to three elements at each
// end are done one by one. Blocks have 128 threads: with float4 a row of 256 elements needs 64, and what a
// multiprocessor holds at once are rows then, not idle threads and their registers.

#define BLOCK 128
#define KEPT 2

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

__device__ __forceinline__ Part join_four(Part part, float4 x) {
    float largest = fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w));
    if (largest > part.largest) {
        part = {largest, part.sum * expf(part.largest - largest)};
    }
    part.sum += expf(x.x - part.largest) + expf(x.y - part.largest) + expf(x.z - part.largest) +
                expf(x.w - part.largest);
    return part;
}

struct Row {
    float largest;
    float factor;
    float scale;
    int label;

    __device__ __forceinline__ float gradient(float x, int j) const {
        return (expf(x - largest) * factor - (j == label ? 1.0f : 0.0f)) * scale;
    }

    __device__ __forceinline__ float4 gradient(float4 x, int j) const {
        return {gradient(x.x, j), gradient(x.y, j + 1), gradient(x.z, j + 2), gradient(x.w, j + 3)};
    }
};

__global__ void __launch_bounds__(BLOCK)
    cross_entropy_backward_kernel(const float* __restrict__ logits, const int* __restrict__ labels,
                                  const float* __restrict__ upstream, float* __restrict__ gradient, int M, int N) {
    __shared__ Part parts[BLOCK / 32];
    size_t first = (size_t)blockIdx.x * N;
    const float* row = logits + first;
    float* result = gradient + first;
    int before = min((int)(-first & 3), N);
    int fours = (N - before) / 4;
    const float4* row4 = reinterpret_cast<const float4*>(row + before);
    float4* result4 = reinterpret_cast<float4*>(result + before);
    // Each of the first threads has one element before the fours, and one behind them.
    int head = threadIdx.x < before ? threadIdx.x : -1;
    int tail = before + 4 * fours + threadIdx.x;

    float4 kept[KEPT];
    Part own = {-INFINITY, 0.0f};
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        int place = k * BLOCK + threadIdx.x;
        if (place < fours) {
            kept[k] = row4[place];
            own = join_four(own, kept[k]);
        }
    }
#pragma unroll 4
    for (int place = KEPT * BLOCK + threadIdx.x; place < fours; place += BLOCK) {
        own = join_four(own, row4[place]);
    }
    if (head >= 0) {
        own = join(own, {row[head], 1.0f});
    }
    if (tail < N) {
        own = join(own, {row[tail], 1.0f});
    }

    own = join_warp(own);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[threadIdx.x / 32] = own;
    }
    __syncthreads();
    own = join_warp(lane < BLOCK / 32 ? parts[lane] : Part{-INFINITY, 0.0f});

    Row of = {own.largest, 1.0f / own.sum, upstream[blockIdx.x], labels[blockIdx.x]};
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        int place = k * BLOCK + threadIdx.x;
        if (place < fours) {
            result4[place] = of.gradient(kept[k], before + 4 * place);
        }
    }
#pragma unroll 4
    for (int place = KEPT * BLOCK + threadIdx.x; place < fours; place += BLOCK) {
        result4[place] = of.gradient(row4[place], before + 4 * place);
    }
    if (head >= 0) {
        result[head] = of.gradient(row[head], head);
    }
    if (tail < N) {
        result[tail] = of.gradient(row[tail], tail);
    }
}
