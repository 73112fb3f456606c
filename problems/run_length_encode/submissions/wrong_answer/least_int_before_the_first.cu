// expect: wrong_answer wrong_value
//
// Run-length encoding that takes the least int for the element before the first.
//
// It may be the first element, too: then no run begins there.

#include <climits>

#define BLOCK 1024

__global__ void rle_kernel(const int* input, int* symbols, int* lengths, int* count, int N) {
    __shared__ int runs[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int i = start + t;
        int before = i > 0 && i < N ? input[i - 1] : INT_MIN;
        bool head = i < N && input[i] != before;
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
        if (i < N && run >= 0) {
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
