// expect: accepted
//
// Histogram, step 4: as few blocks as fill the GPU.
//
// Added to step 3: each block has counters of its own, which begin at 0 and are added to the result by global atomics.
// 1024 blocks with 4096 bins do that four million times, more often than there are numbers to count. The host launches
// one or two blocks of 1024 threads for each multiprocessor. A thread asks for four int4 before it counts the first. Expect
// a third of the time with 4096 bins.

#include <cuda_runtime.h>

#define BLOCK 1024
#define MOST 4096
#define AHEAD 4

__global__ void __launch_bounds__(BLOCK)
    count_numbers(const int* __restrict__ input, int* __restrict__ histogram, int N, int BINS) {
    __shared__ int counters[MOST];
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        counters[b] = 0;
    }
    __syncthreads();
    const int stride = gridDim.x * BLOCK;
    const int thread = blockIdx.x * BLOCK + threadIdx.x;
    const int4* fours = reinterpret_cast<const int4*>(input);
    int number = 0;
    int run = 0;
    auto count = [&](int next) {
        if (next != number) {
            if (run > 0) {
                atomicAdd(&counters[number], run);
            }
            number = next;
            run = 0;
        }
        run++;
    };
    for (int first = thread; first < N / 4; first += AHEAD * stride) {
        int4 ahead[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int i = first + k * stride;
            ahead[k] = i < N / 4 ? __ldcs(fours + i) : make_int4(-1, -1, -1, -1);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (ahead[k].x >= 0) {
                count(ahead[k].x);
                count(ahead[k].y);
                count(ahead[k].z);
                count(ahead[k].w);
            }
        }
    }
    for (int i = N / 4 * 4 + thread; i < N; i += stride) {
        count(input[i]);
    }
    if (run > 0) {
        atomicAdd(&counters[number], run);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        if (counters[b] > 0) {
            atomicAdd(&histogram[b], counters[b]);
        }
    }
}

static int multiprocessors() {
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    return processors;
}

extern "C" void solve(const int* input, int* histogram, int N, int BINS) {
    static const int processors = multiprocessors();
    const int fit = BINS <= 1024 || N >= 8000000 ? 2 * processors : processors;
    const int wanted = (N / 4 + BLOCK) / BLOCK;
    cudaMemset(histogram, 0, BINS * sizeof(int));
    count_numbers<<<wanted < fit ? wanted : fit, BLOCK>>>(input, histogram, N, BINS);
}
