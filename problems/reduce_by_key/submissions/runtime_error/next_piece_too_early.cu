// expect: runtime_error data_race
//
// Reduction by key without a barrier between two pieces.
//
// A fast warp stores the next piece where a slow one still reads the number of runs of this one.

#define BLOCK 1024

__global__ void reduce_by_key_kernel(const int* keys, const int* values, int* run_keys, int* sums, int* count, int N) {
    __shared__ int runs[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int i = start + t;
        bool head = i < N && (i == 0 || keys[i] != keys[i - 1]);
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
    }
    if (t == 0) {
        *count = carry;
    }
}
