// expect: wrong_answer wrong_value
//
// Prefix sum that starts again at 0 in every piece.
//
// Rows up to 256 elements come out right; longer ones have to carry the sum of the pieces before along.

#define BLOCK 256

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    __shared__ float scan[BLOCK];
    int t = threadIdx.x;
    for (int start = 0; start < N; start += BLOCK) {
        int j = start + t;
        scan[t] = j < N ? input[blockIdx.x * N + j] : 0.0f;
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            float left = t >= distance ? scan[t - distance] : 0.0f;
            __syncthreads();
            scan[t] += left;
            __syncthreads();
        }
        if (j < N) {
            output[blockIdx.x * N + j] = scan[t];
        }
        __syncthreads();
    }
}
