// expect: runtime_error data_race
//
// Exclusive scan with one barrier in each doubling step.
//
// A thread adds to its place while its neighbour to the right still has to read it.

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
            if (t >= distance) {
                sums[t] += sums[t - distance];
            }
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
