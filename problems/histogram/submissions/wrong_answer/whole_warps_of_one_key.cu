// expect: wrong_answer wrong_value
//
// Histogram that adds 32 at once where all lanes of a warp have the same number.
//
// Lanes beyond the end repeat the last element, so that the warp stays together; when all are equal, they count.

__global__ void histogram_kernel(const int* input, int* histogram, int N, int BINS) {
    int stride = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x; first < N; first += stride) {
        int i = first + threadIdx.x;
        int key = input[min(i, N - 1)];
        if (__all_sync(0xffffffff, key == __shfl_sync(0xffffffff, key, 0))) {
            if (threadIdx.x % 32 == 0) {
                atomicAdd(&histogram[key], 32);
            }
        } else if (i < N) {
            atomicAdd(&histogram[key], 1);
        }
    }
}
