// expect: wrong_answer wrong_value
//
// Reduction by key that compares keys as floats.
//
// Beyond 2^24 neighbouring ints are the same float, and two runs become one.

#define BLOCK 1024

__global__ void reduce_by_key_kernel(const int* keys, const int* values, int* run_keys, int* sums, int* count, int N) {
    __shared__ int runs[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int i = start + t;
        bool head = i < N && (i == 0 || (float)keys[i] != (float)keys[i - 1]);
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
            run_keys[run] = keys[i];
        }
        if (i < N) {
            atomicAdd(&sums[run], values[i]);
        }
        carry += runs[BLOCK - 1];
        // The next piece must not overwrite the last number before all threads have read it.
        __syncthreads();
    }
    if (t == 0) {
        *count = carry;
    }
}
