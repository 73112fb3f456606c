// expect: runtime_error out_of_bounds
//
// Histogram without a bounds check.
//
// The last block reaches beyond the input, and what it reads there is no number of a bin.

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N + BINS; i += stride) {
        atomicAdd(&histogram[input[i]], 1);  // <- here
    }
}
