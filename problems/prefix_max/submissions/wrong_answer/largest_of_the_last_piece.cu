// expect: wrong_answer wrong_value
//
// Prefix maximum that forgets the carry when it takes a new one.
//
// The piece before is remembered, those before it are not.

#define BLOCK 1024

__global__ void prefix_max_kernel(const int* input, int* output, int N) {
    __shared__ int largest[BLOCK];
    int t = threadIdx.x;
    int carry = input[0];
    for (int start = 0; start < N; start += BLOCK) {
        largest[t] = start + t < N ? input[start + t] : INT_MIN;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            int left = largest[max(t - distance, 0)];
            __syncthreads();
            largest[t] = max(largest[t], left);
            __syncthreads();
        }
        if (start + t < N) {
            output[start + t] = max(carry, largest[t]);
        }
        carry = largest[BLOCK - 1];
        // The next piece must not overwrite the last maximum before all threads have read it.
        __syncthreads();
    }
}
