// expect: accepted
//
// Exclusive scan, step 1: one block, piece by piece, in doubling steps.
//
// After the step with distance d every place holds the sum of the 2d elements that end there; what a thread writes is
// that without its own element.

#define BLOCK 1024

__global__ void exclusive_scan_kernel(const int* input, int* output, int N) {
    __shared__ int sums[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int own = start + t < N ? input[start + t] : 0;
        sums[t] = own;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            int left = t >= distance ? sums[t - distance] : 0;
            __syncthreads();
            sums[t] += left;
            __syncthreads();
        }
        if (start + t < N) {
            output[start + t] = carry + sums[t] - own;
        }
        carry += sums[BLOCK - 1];
        // The next piece must not overwrite the last sum before all threads have read it.
        __syncthreads();
    }
}
