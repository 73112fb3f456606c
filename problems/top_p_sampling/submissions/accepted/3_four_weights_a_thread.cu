// expect: accepted
//
// Top-p sampling, step 3: 512 threads a row, int4, and four copies of the sums.
//
// Added to step 2: a thread loads four weights by one instruction; where a row begins between two multiples of 16
// bytes, its ends are done one by one. The sums stand in four copies, each for a quarter of the warps: likely tokens,
// and equal ones, all go to one sum, and wait for each other less. The last scan takes 2048 tokens a step. A row stays
// in the second cache between passes, so that memory reads it once.

#define BLOCK 512
#define COPIES 4

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
    __shared__ unsigned sums[COPIES][256];
    __shared__ unsigned long long of_warps[WARPS];
    __shared__ int found;
    __shared__ unsigned larger_of_digit;
    const int* row = weights + (size_t)blockIdx.x * N;
    const int t = threadIdx.x;
    // Weights before the first multiple of 16 bytes, and where the last ones begin.
    const int head = (4 - (size_t)blockIdx.x * N % 4) % 4;
    const int tail = head > N ? N : N - (N - head) % 4;

    unsigned needed = 0;  // by the weights that agree with the bits found so far
    unsigned larger = 0;  // the sum of all above these
    int last = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int i = t; i < COPIES * 256; i += BLOCK) {
            sums[i / 256][i % 256] = 0;
        }
        __syncthreads();
        unsigned* own_copy = sums[t / 32 % COPIES];
        auto add = [&](int weight) {
            if (weight > 0 && (long long)weight >> (shift + 8) == (long long)last >> (shift + 8)) {
                atomicAdd(&own_copy[weight >> shift & 255], weight);
            }
        };
        for (int j = head + 4 * t; j + 4 <= N; j += 4 * BLOCK) {
            const int4 four = *reinterpret_cast<const int4*>(row + j);
            add(four.x);
            add(four.y);
            add(four.z);
            add(four.w);
        }
        for (int j = t; j < min(head, N); j += BLOCK) {
            add(row[j]);
        }
        for (int j = tail + t; j < N; j += BLOCK) {
            add(row[j]);
        }
        __syncthreads();
        // The digits from the highest on: thread t has digit 255 - t.
        unsigned own = 0;
        for (int copy = 0; copy < COPIES && t < 256; copy++) {
            own += sums[copy][255 - t];
        }
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
    auto word_of = [&](int j) {
        const int weight = j >= 0 && j < N ? row[j] : 0;
        return weight > last ? weight : weight == last ? 1ull << 32 : 0ull;
    };
    // Pieces begin at a multiple of 16 bytes, the first one before the row.
    for (int start = head - 4; start < N; start += 4 * BLOCK) {
        const int j = start + 4 * t;
        unsigned long long words[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            words[k] = word_of(j + k);
        }
        unsigned long long total;
        const unsigned long long own = words[0] + words[1] + words[2] + words[3];
        unsigned long long here = before + scan_block(own, of_warps, total) - own;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (sum_of(here) <= unit && unit < sum_of(here + words[k])) {
                tokens[blockIdx.x] = j + k;
            }
            here += words[k];
        }
        before += total;
        if (sum_of(before) > unit) {
            break;
        }
    }
}
