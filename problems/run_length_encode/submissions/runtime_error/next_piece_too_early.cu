// expect: runtime_error data_race
//
// Run-length encoding without a barrier between two pieces.
//
// A fast warp stores the next piece where a slow one still reads the number of runs of this one.

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
            atomicAdd(&lengths[run], 1);
        }
        carry += runs[BLOCK - 1];
    }
    if (t == 0) {
        *count = carry;
    }
}
