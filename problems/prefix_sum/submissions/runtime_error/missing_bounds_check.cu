// expect: runtime_error out_of_bounds
//
// Prefix sum that reads a whole piece of every row.
//
// The last piece of the last row ends behind the matrix. In the rows before, it ends in the next row, which no GPU
// complains about.

#define BLOCK 256

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    __shared__ float scan[BLOCK];
    int t = threadIdx.x;
    float carry = 0.0f;
    for (int start = 0; start < N; start += BLOCK) {
        int j = start + t;
        scan[t] = input[blockIdx.x * N + j];  // <- here
        __syncthreads();
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            float left = t >= distance ? scan[t - distance] : 0.0f;
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
