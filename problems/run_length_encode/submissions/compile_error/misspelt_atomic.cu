// expect: compile_error
//
// Run-length encoding with a function that does not exist.
//
// CUDA's atomics are written in camel case.

#define BLOCK 1024

__global__ void rle_kernel(const int* input, int* symbols, int* lengths, int* count, int N) {
    __shared__ int runs[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int i = start + t;
        bool head = i < N && (i == 0 || input[i] != input[i - 1]);
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
            atomic_add(&lengths[run], 1);  // <- here
        }
        carry += runs[BLOCK - 1];
        // The next piece must not overwrite the last number before all threads have read it.
        __syncthreads();
    }
    if (t == 0) {
        *count = carry;
    }
}
