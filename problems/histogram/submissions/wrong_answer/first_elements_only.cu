// expect: wrong_answer wrong_value
//
// Histogram of as many elements as there are threads.
//
// There are never more than 1024 blocks, so a long input needs a loop.

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        atomicAdd(&histogram[input[i]], 1);
    }
}
