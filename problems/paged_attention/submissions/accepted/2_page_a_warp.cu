// expect: accepted
//
// Paged attention, step 2: a page for each warp, a row at a time for its lanes.
//
// Added to step 1: neighbouring lanes read neighbouring elements of a row, of keys and values alike, and five shuffles
// give the score. Each warp keeps its own largest score and sums, without a barrier; at the end they are joined. Expect
// a gain of five and more.

#define BLOCK 128
#define PAGE 16

// What part of a sequence adds to the output: the largest score, the sum of exponentials, and each lane's columns.
struct Part {
    float largest;
    float sum;
    float mean[4];
};

// Adds tokens first ... last - 1 of a sequence, a row at a time for the whole warp.
__device__ __forceinline__ void add_tokens(Part& part, const float* __restrict__ query, const float* __restrict__ keys,
                                           const float* __restrict__ values, const int* __restrict__ pages, int first,
                                           int last, int h, int H, int D) {
    const int lane = threadIdx.x % 32;
    const float root = sqrtf((float)D);
    for (int j = first; j < last; j++) {
        const size_t row = (((size_t)pages[j / PAGE] * PAGE + j % PAGE) * H + h) * D;
        float score = 0.0f;
        float value[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int d = k * 32 + lane;
            score += d < D ? query[k] * keys[row + d] : 0.0f;
            value[k] = d < D ? values[row + d] : 0.0f;
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            score += __shfl_xor_sync(0xffffffff, score, distance);
        }
        score /= root;
        const float larger = fmaxf(part.largest, score);
        const float correction = expf(part.largest - larger);
        const float p = expf(score - larger);
        part.largest = larger;
        part.sum = part.sum * correction + p;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            part.mean[k] = part.mean[k] * correction + p * value[k];
        }
    }
}

__global__ void paged_attention_kernel(const float* queries, const float* keys, const float* values, const int* table,
                                       const int* lengths, float* output, int S, int H, int D, int T, int P) {
    constexpr int WARPS = BLOCK / 32;
    __shared__ float largest[WARPS];
    __shared__ float sums[WARPS];
    __shared__ float means[WARPS][128];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int h = blockIdx.x;
    const int s = blockIdx.y;
    const int length = lengths[s];
    const size_t first = ((size_t)s * H + h) * D;
    float query[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int d = k * 32 + lane;
        query[k] = d < D ? queries[first + d] : 0.0f;
    }
    Part part = {-INFINITY, 0.0f, {}};
    for (int start = warp * PAGE; start < length; start += WARPS * PAGE) {
        add_tokens(part, query, keys, values, table + (size_t)s * T, start, min(start + PAGE, length), h, H, D);
    }
    if (lane == 0) {
        largest[warp] = part.largest;
        sums[warp] = part.sum;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        means[warp][k * 32 + lane] = part.mean[k];
    }
    __syncthreads();
    if (threadIdx.x < D) {
        float all = -INFINITY;
        for (int w = 0; w < WARPS; w++) {
            all = fmaxf(all, largest[w]);
        }
        float sum = 0.0f;
        float mean = 0.0f;
        for (int w = 0; w < WARPS; w++) {
            const float weight = expf(largest[w] - all);
            sum += weight * sums[w];
            mean += weight * means[w][threadIdx.x];
        }
        output[first + threadIdx.x] = mean / sum;
    }
}
