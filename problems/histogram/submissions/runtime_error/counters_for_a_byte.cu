// expect: runtime_error out_of_bounds
//
// Histogram with 256 counters.
//
// That is enough for an image of bytes. Here BINS goes up to 4096.

#define MOST 256

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    __shared__ int counters[MOST];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        counters[b] = 0;  // <- here
    }
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        atomicAdd(&counters[input[i]], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        if (counters[b] > 0) {
            atomicAdd(&histogram[b], counters[b]);
        }
    }
}
