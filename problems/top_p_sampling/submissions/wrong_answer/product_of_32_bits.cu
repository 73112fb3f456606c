// expect: wrong_answer
//
// Top-p sampling whose products have 32 bits.
//
// The total fits an int, and so does the share, but not the total times the share.

#define BLOCK 256

// The sum of the weights of a row that are above a number, for all threads of the block.
__device__ long long sum_above(const int* row, int N, int number, long long* parts) {
    long long sum = 0;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        sum += row[j] > number ? row[j] : 0;
    }
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    sum = parts[0];
    __syncthreads();
    return sum;
}

__global__ void top_p_kernel(const int* weights, const int* shares, const unsigned int* draws, int* tokens, int M,
                             int N) {
    __shared__ long long parts[BLOCK];
    const int* row = weights + (size_t)blockIdx.x * N;
    long long total = sum_above(row, N, 0, parts);
    int needed = ((unsigned)total * shares[blockIdx.x] + 65535) / 65536;
    // The weight of the last token that is kept.
    int last = 0;
    for (int bit = 30; bit >= 0; bit--) {
        if (sum_above(row, N, last + (1 << bit) - 1, parts) >= needed) {
            last += 1 << bit;
        }
    }
    long long larger = sum_above(row, N, last, parts);
    int equal = (needed - larger + last - 1) / last;
    long long kept = larger + (long long)equal * last;
    long long unit = draws[blockIdx.x] * kept >> 32;

    // Up to each token: the number of equal weights in the upper half of a word, the sum of larger ones in the lower.
    long long before = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int j = start + threadIdx.x;
        int weight = j < N ? row[j] : 0;
        parts[threadIdx.x] = weight > last ? weight : weight == last ? 1ll << 32 : 0;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            long long left = threadIdx.x >= distance ? parts[threadIdx.x - distance] : 0;
            __syncthreads();
            parts[threadIdx.x] += left;
            __syncthreads();
        }
        long long here = before + parts[threadIdx.x];
        long long previous = threadIdx.x > 0 ? before + parts[threadIdx.x - 1] : before;
        long long sum = (here & 0xffffffff) + min((int)(here >> 32), equal) * (long long)last;
        long long smaller = (previous & 0xffffffff) + min((int)(previous >> 32), equal) * (long long)last;
        if (j < N && smaller <= unit && unit < sum) {
            tokens[blockIdx.x] = j;
        }
        before += parts[BLOCK - 1];
        __syncthreads();
    }
}
