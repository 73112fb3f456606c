// expect: wrong_answer wrong_value
//
// Histogram whose blocks overwrite each other's counts.
//
// Each block stores its own counters; the last one wins, exchange or not.

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
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        if (counters[b] > 0) {
            atomicExch(&histogram[b], counters[b]);
        }
    }
}
