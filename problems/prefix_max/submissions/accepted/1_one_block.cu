// expect: accepted
//
// Prefix maximum, step 1: one block, piece by piece, in doubling steps.
//
// After the step with distance d every place holds the largest of the 2d elements that end there.

#define BLOCK 1024

__global__ void prefix_max_kernel(const int* input, int* output, int N) {
    __shared__ int largest[BLOCK];
    int t = threadIdx.x;
    int carry = input[0];
    for (int start = 0; start < N; start += BLOCK) {
        largest[t] = start + t < N ? input[start + t] : carry;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            int left = largest[max(t - distance, 0)];
            __syncthreads();
            largest[t] = max(largest[t], left);
            __syncthreads();
        }
        if (start + t < N) {
            output[start + t] = max(carry, largest[t]);
        }
        carry = max(carry, largest[BLOCK - 1]);
        // The next piece must not overwrite the last maximum before all threads have read it.
        __syncthreads();
    }
}
