// expect: runtime_error uninitialized_read
//
// Segmented scan whose threads beyond the end store nothing.
//
// Their places take part in the steps all the same.

#define BLOCK 1024

__global__ void segmented_scan_kernel(const int* input, const int* heads, int* output, int N) {
    __shared__ int sums[BLOCK];
    __shared__ int headed[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int i = start + t;
        if (i < N) {
            sums[t] = input[i];
            headed[t] = heads[i];
        }
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            int sum = sums[t];
            int head = headed[t];
            if (t >= distance) {
                sum += head ? 0 : sums[t - distance];
                head |= headed[t - distance];
            }
            __syncthreads();
            sums[t] = sum;
            headed[t] = head;
            __syncthreads();
        }
        if (i < N) {
            output[i] = headed[t] ? sums[t] : carry + sums[t];
        }
        carry = headed[BLOCK - 1] ? sums[BLOCK - 1] : carry + sums[BLOCK - 1];
        // The next piece must not overwrite the last sum before all threads have read it.
        __syncthreads();
    }
}
