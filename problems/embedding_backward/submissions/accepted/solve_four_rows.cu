// expect: accepted
//
// Embedding backward, another road from step 1: a column of four rows a thread, and neighbours of one word added once.
//
// Added to step 1: the division is paid once for four elements, and lanes still read and add side by side. As long as
// the word stays the same, rows are added in a register, and only their sum goes to memory by an atomic. The host
// launches a quarter of the threads: with the statement's launch three of four blocks would have nothing to do, and to
// start and end hundreds of thousands of them takes longer than is gained. With its own solve() the program writes the
// zeros, too. Expect a quarter of the atomics where a text is mostly padding, and half of step 1's time where the
// table is long; of 131,072 words for 4,096 rows the atomics meet in L2, and it is slower: 458 µs for 365.

#include <cuda_runtime.h>

#define BLOCK 256
#define ROWS 4

__global__ void __launch_bounds__(BLOCK)
    add_four_rows(const int* __restrict__ tokens, const float* __restrict__ upstream, float* __restrict__ gradient, int N,
                  int D) {
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= (N + ROWS - 1u) / ROWS * D) {
        return;
    }
    const int first = i / D * ROWS;
    const int d = i % D;
    const float* from = upstream + (size_t)first * D + d;
    float* to = gradient + d;
    if (first + ROWS > N) {
        for (int n = first; n < N; n++) {
            atomicAdd(to + (size_t)tokens[n] * D, *from);
            from += D;
        }
        return;
    }
    const int4 words = *reinterpret_cast<const int4*>(tokens + first);
    const int word[ROWS] = {words.x, words.y, words.z, words.w};
    const float x[ROWS] = {__ldcs(from), __ldcs(from + D), __ldcs(from + 2 * D), __ldcs(from + 3 * D)};
    float sum = x[0];
#pragma unroll
    for (int r = 1; r < ROWS; r++) {
        if (word[r] != word[r - 1]) {
            atomicAdd(to + (size_t)word[r - 1] * D, sum);
            sum = 0.0f;
        }
        sum += x[r];
    }
    atomicAdd(to + (size_t)word[ROWS - 1] * D, sum);
}

extern "C" void solve(const int* tokens, const float* upstream, float* gradient, int N, int V, int D) {
    cudaMemset(gradient, 0, (size_t)V * D * sizeof(float));
    const unsigned threads = (N + ROWS - 1u) / ROWS * D;
    add_four_rows<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(tokens, upstream, gradient, N, D);
}
