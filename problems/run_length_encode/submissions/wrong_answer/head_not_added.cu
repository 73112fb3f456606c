// expect: wrong_answer wrong_value
//
// Run-length encoding whose first element of each run only opens it.
//
// It belongs to the length like the others.

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
        if (i < N && !head) {
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
