// expect: runtime_error data_race
//
// Prefix sum in doubling steps with one barrier a step.
//
// A warp that is ahead overwrites elements that a slower warp has yet to read: those then count twice.

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
            if (t >= distance) {
                scan[t] += scan[t - distance];  // <- here
            }
            __syncthreads();
        }
        if (j < N) {
            output[blockIdx.x * N + j] = carry + scan[t];
        }
        carry += scan[BLOCK - 1];
        __syncthreads();
    }
}
