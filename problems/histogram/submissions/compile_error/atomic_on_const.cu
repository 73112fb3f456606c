// expect: compile_error
//
// Histogram that counts in its input.
//
// The input is const, and atomicAdd has to write.

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        atomicAdd(&input[i], 1);  // <- here
    }
}
