// expect: wrong_answer wrong_value
//
// Histogram by int4 that leaves out the last one to three elements.
//
// N / 4 rounds down.

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
