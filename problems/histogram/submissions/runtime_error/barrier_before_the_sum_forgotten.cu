// expect: runtime_error data_race
//
// Histogram that adds up its counters too early.
//
// Other warps of the block are still counting.

#define MOST 4096

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    __shared__ int counters[MOST];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        counters[b] = 0;
    }
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        atomicAdd(&counters[input[i]], 1);
    }
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        if (counters[b] > 0) {
            atomicAdd(&histogram[b], counters[b]);
        }
    }
}
