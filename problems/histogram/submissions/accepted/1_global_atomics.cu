// expect: accepted
//
// Histogram, step 1: an atomicAdd for each element.
//
// The additions happen in the L2 cache, those to one counter one after the other. With few bins everybody waits
// there.

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        atomicAdd(&histogram[input[i]], 1);
    }
}
