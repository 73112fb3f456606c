// expect: runtime_error out_of_bounds
//
// Run-length encoding that compares the first element with the one before it.
//
// There is none.

#define BLOCK 1024

__global__ void rle_kernel(const int* input, int* symbols, int* lengths, int* count, int N) {
    __shared__ int runs[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int i = start + t;
        bool head = i < N && input[i] != input[i - 1];  // <- here
        runs[t] = head;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            int left = t >= distance ? runs[t - distance] : 0;
            __syncthreads();
            runs[t] += left;
            __syncthreads();
        }
        int run = carry + runs[t] - 1;
        if (head) {
            symbols[run] = input[i];
        }
        if (i < N) {
            atomicAdd(&lengths[run], 1);
        }
        carry += runs[BLOCK - 1];
        // The next piece must not overwrite the last number before all threads have read it.
        __syncthreads();
    }
    if (t == 0) {
        *count = carry;
    }
}
