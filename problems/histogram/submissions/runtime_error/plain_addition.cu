// expect: runtime_error data_race
//
// Histogram without atomics.
//
// Two threads read the same count, add one each, and store the same sum: one element is lost.

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        histogram[input[i]] += 1;  // <- here
    }
}
