// expect: runtime_error uninitialized_read
//
// Histogram with shared counters that start as they are.
//
// The output starts as zeros. Shared memory starts with whatever was left there.

#define MOST 4096

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    __shared__ int counters[MOST];
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
