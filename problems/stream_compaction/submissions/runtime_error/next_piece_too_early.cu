// expect: runtime_error data_race
//
// Stream compaction without a barrier between two pieces.
//
// A fast warp stores the next piece where a slow one still reads the count of this one.

#define BLOCK 1024

__global__ void compaction_kernel(const float* input, float* output, int* count, int N) {
    __shared__ int places[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        float x = start + t < N ? input[start + t] : 0.0f;
        places[t] = x > 0;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            int left = t >= distance ? places[t - distance] : 0;
            __syncthreads();
            places[t] += left;
            __syncthreads();
        }
        if (x > 0) {
            output[carry + places[t] - 1] = x;
        }
        carry += places[BLOCK - 1];
    }
    if (t == 0) {
        *count = carry;
    }
}
