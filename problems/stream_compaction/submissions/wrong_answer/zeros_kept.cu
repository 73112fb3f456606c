// expect: wrong_answer wrong_value
//
// Stream compaction of the elements whose sign bit is 0.
//
// So has +0, which is not positive.

#define BLOCK 1024

__global__ void compaction_kernel(const float* input, float* output, int* count, int N) {
    __shared__ int places[BLOCK];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < N; start += BLOCK) {
        float x = start + t < N ? input[start + t] : 0.0f;
        places[t] = start + t < N && !signbit(x);
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            int left = t >= distance ? places[t - distance] : 0;
            __syncthreads();
            places[t] += left;
            __syncthreads();
        }
        if (start + t < N && !signbit(x)) {
            output[carry + places[t] - 1] = x;
        }
        carry += places[BLOCK - 1];
        // The next piece must not overwrite the last place before all threads have read it.
        __syncthreads();
    }
    if (t == 0) {
        *count = carry;
    }
}
