// expect: accepted
//
// Embedding backward, step 2: four neighbouring columns a thread, and the sum of a warp's equal places added once.
//
// Added to step 1: one instruction loads 16 bytes, and the division is paid once for four elements. Where D is small,
// a warp holds several tokens; if all are one word and in step, its lanes add up what belongs together first. Expect a
// gain of up to two where words are many, and more where a text is mostly padding.

#define BLOCK 256

__global__ void __launch_bounds__(BLOCK)
    embedding_backward_kernel(const int* __restrict__ tokens, const float* __restrict__ upstream,
                              float* __restrict__ gradient, int N, int V, int D) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (D % 4 == 0) {
        int fours = D / 4;
        bool mine = i < N * fours;
        int n = mine ? i / fours : 0;
        int word = mine ? tokens[n] : -1;
        float4 x = mine ? __ldcs(reinterpret_cast<const float4*>(upstream) + i) : float4{};
        bool adds = mine;
        if (fours < 32 && 32 % fours == 0) {
            int all;
            __match_all_sync(0xffffffff, word, &all);
            if (all) {
                for (int distance = fours; distance < 32; distance *= 2) {
                    x.x += __shfl_xor_sync(0xffffffff, x.x, distance);
                    x.y += __shfl_xor_sync(0xffffffff, x.y, distance);
                    x.z += __shfl_xor_sync(0xffffffff, x.z, distance);
                    x.w += __shfl_xor_sync(0xffffffff, x.w, distance);
                }
                adds = mine && threadIdx.x % 32 < fours;
            }
        }
        if (adds) {
            float* to = gradient + (size_t)word * D + 4 * (i - n * fours);
            atomicAdd(to, x.x);
            atomicAdd(to + 1, x.y);
            atomicAdd(to + 2, x.z);
            atomicAdd(to + 3, x.w);
        }
    } else if (i < N * D) {
        int n = i / D;
        atomicAdd(&gradient[(size_t)tokens[n] * D + i - n * D], upstream[i]);
    }
}
