// expect: runtime_error data_race
//
// Segmented scan without a barrier between two pieces.
//
// A fast warp stores the next piece where a slow one still reads the sums of this one.

#define BLOCK 1024

__global__ void segmented_scan_kernel(const int* input, const int* heads, int* output, int N) {
    __shared__ int sums[BLOCK];
    __shared__ int headed[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        int i = start + t;
        sums[t] = i < N ? input[i] : 0;
        headed[t] = i < N ? heads[i] : 0;
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
    }
}
