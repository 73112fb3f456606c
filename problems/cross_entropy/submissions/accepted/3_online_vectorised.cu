// expect: accepted
//
// Cross-entropy, step 3: one pass over the row, by float4.
//
// Added to step 2: a thread keeps the largest element so far and the sum relative to it, and a new largest scales the
// sum. Four elements are taken at once, so that the sum is scaled once for four. Every row is read once instead of
// twice, 16 bytes an instruction; the elements before the first multiple of 16 bytes, and behind the last, are taken
// one by one. The pairs of the threads are joined by shuffles. With float4 a row of 256 elements has work for 64
// threads, and so many has a block: four times as many rows are under way at once.

#define BLOCK 64

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

__global__ void __launch_bounds__(BLOCK)
    cross_entropy_kernel(const float* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
                         int M, int N) {
    __shared__ Part parts[BLOCK / 32];
    size_t first = (size_t)blockIdx.x * N;
    const float* row = logits + first;

    Part own = {-INFINITY, 0.0f};
    int before = min((int)(-first & 3), N);
    int fours = (N - before) / 4;
    const float4* aligned = reinterpret_cast<const float4*>(row + before);
#pragma unroll 4
    for (int k = threadIdx.x; k < fours; k += BLOCK) {
        own = join_four(own, aligned[k]);
    }
    // At most three elements at each end.
    if (threadIdx.x < before) {
        own = join(own, {row[threadIdx.x], 1.0f});
    }
    int behind = before + 4 * fours + threadIdx.x;
    if (behind < N) {
        own = join(own, {row[behind], 1.0f});
    }

    own = join_warp(own);
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        parts[threadIdx.x / 32] = own;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        own = join_warp(lane < BLOCK / 32 ? parts[lane] : Part{-INFINITY, 0.0f});
        if (lane == 0) {
            loss[blockIdx.x] = logf(own.sum) + (own.largest - row[labels[blockIdx.x]]);
        }
    }
}
