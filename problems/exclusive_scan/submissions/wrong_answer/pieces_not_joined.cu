// expect: wrong_answer wrong_value
//
// Exclusive scan that starts again in each piece.
//
// Right up to N = 1024.

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
        // The next piece must not overwrite the last sum before all threads have read it.
        __syncthreads();
    }
}
