// expect: accepted
//
// Histogram, step 3: equal neighbours counted in a register.
//
// Added to step 2: a thread takes int4 after int4, and adds to a counter only where the number changes. Where most
// of the input is equal, that is one atomic for four elements or more; where it is random, it costs a comparison
// each.

#define MOST 4096

__global__ void histogram_kernel(const int* __restrict__ input, int* __restrict__ histogram, int N, int BINS) {
    __shared__ int counters[MOST];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        counters[b] = 0;
    }
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
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
    for (int i = thread; i < N / 4; i += stride) {
        int4 four = reinterpret_cast<const int4*>(input)[i];
        count(four.x);
        count(four.y);
        count(four.z);
        count(four.w);
    }
    for (int i = N / 4 * 4 + thread; i < N; i += stride) {
        count(input[i]);
    }
    if (run > 0) {
        atomicAdd(&counters[number], run);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        if (counters[b] > 0) {
            atomicAdd(&histogram[b], counters[b]);
        }
    }
}
