// expect: runtime_error out_of_bounds
//
// Prefix sum whose threads all add an element from their left.
//
// Thread 0 has none: scan[-1] lies before the shared array.

#define BLOCK 256

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    __shared__ float scan[BLOCK];
    int t = threadIdx.x;
    float carry = 0.0f;
    for (int start = 0; start < N; start += BLOCK) {
        int j = start + t;
        scan[t] = j < N ? input[blockIdx.x * N + j] : 0.0f;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            float left = scan[t - distance];  // <- here
            __syncthreads();
            scan[t] += left;
            __syncthreads();
        }
        if (j < N) {
            output[blockIdx.x * N + j] = carry + scan[t];
        }
        carry += scan[BLOCK - 1];
        __syncthreads();
    }
}
