// expect: accepted
//
// Top-p sampling, step 2: eight bits a pass, and scans by shuffles.
//
// Added to step 1: each weight is added to one of 256 sums in shared memory, that of its highest eight bits. A scan of
// the sums, from the highest on, finds the digit of the last kept weight; the next pass does the same for the next
// eight bits, among the weights that agree so far. Four passes instead of 32; the last scan stops where the token is.
// Expect a gain of five and more.

#define BLOCK 256

constexpr int WARPS = BLOCK / 32;

// The sum of a value over all threads of the block up to this one; `total` is that over all of them.
__device__ __forceinline__ unsigned long long scan_block(unsigned long long x, unsigned long long* of_warps,
                                                         unsigned long long& total) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned long long left = __shfl_up_sync(0xffffffff, x, distance);
        x += lane >= distance ? left : 0;
    }
    if (lane == 31) {
        of_warps[warp] = x;
    }
    __syncthreads();
    unsigned long long y = lane < WARPS ? of_warps[lane] : 0;
    for (int distance = 1; distance < WARPS; distance *= 2) {
        const unsigned long long left = __shfl_up_sync(0xffffffff, y, distance);
        y += lane >= distance ? left : 0;
    }
    total = __shfl_sync(0xffffffff, y, WARPS - 1);
    const unsigned long long before = __shfl_sync(0xffffffff, y, max(warp - 1, 0));
    // The next scan must not overwrite what a slow warp still reads.
    __syncthreads();
    return x + (warp > 0 ? before : 0);
}

__global__ void top_p_kernel(const int* weights, const int* shares, const unsigned int* draws, int* tokens, int M,
                             int N) {
    __shared__ unsigned sums[256];
    __shared__ unsigned long long of_warps[WARPS];
    __shared__ int found;
    __shared__ unsigned larger_of_digit;
    const int* row = weights + (size_t)blockIdx.x * N;
    const int t = threadIdx.x;

    unsigned needed = 0;  // by the weights that agree with the bits found so far
    unsigned larger = 0;  // the sum of all above these
    int last = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        sums[t] = 0;
        __syncthreads();
        for (int j = t; j < N; j += BLOCK) {
            const int weight = row[j];
            if (weight > 0 && (long long)weight >> (shift + 8) == (long long)last >> (shift + 8)) {
                atomicAdd(&sums[weight >> shift & 255], weight);
            }
        }
        __syncthreads();
        // The digits from the highest on: thread t has digit 255 - t.
        const unsigned own = sums[255 - t];
        unsigned long long total;
        const unsigned up_to = scan_block(own, of_warps, total);
        if (shift == 24) {
            needed = (total * shares[blockIdx.x] + 65535) / 65536;
        }
        if (up_to >= needed && up_to - own < needed) {
            found = 255 - t;
            larger_of_digit = up_to - own;
        }
        __syncthreads();
        last |= found << shift;
        needed -= larger_of_digit;
        larger += larger_of_digit;
    }
    const unsigned equal = (needed + last - 1) / last;
    const unsigned long long kept = larger + (unsigned long long)equal * last;
    const unsigned long long unit = draws[blockIdx.x] * kept >> 32;

    // Up to each token: the number of equal weights in the upper half of a word, the sum of larger ones in the lower.
    auto sum_of = [&](unsigned long long word) {
        return (word & 0xffffffffu) + min((unsigned)(word >> 32), equal) * (unsigned long long)last;
    };
    unsigned long long before = 0;
    for (int start = 0; start < N; start += BLOCK) {
        const int weight = start + t < N ? row[start + t] : 0;
        const unsigned long long own = weight > last ? weight : weight == last ? 1ull << 32 : 0ull;
        unsigned long long total;
        const unsigned long long here = before + scan_block(own, of_warps, total);
        if (sum_of(here - own) <= unit && unit < sum_of(here)) {
            tokens[blockIdx.x] = start + t;
        }
        before += total;
        if (sum_of(before) > unit) {
            break;
        }
    }
}
