#define BLOCK 256

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    __shared__ float scan[BLOCK];
    const float* row = input + blockIdx.x * N;
    float* sums = output + blockIdx.x * N;
    int t = threadIdx.x;
    float carry = 0.0f;

    for (int start = 0; start < N; start += BLOCK) {
        int j = start + t;
        scan[t] = j < N ? row[j] : 0.0f;
        __syncthreads();

        for (int distance = 1; distance < BLOCK; distance *= 2) {
            float left = t >= distance ? scan[t - distance] : 0.0f;
            scan[t] += left;
            __syncthreads();
        }

        if (j < N) {
            sums[j] = carry + scan[t];
        }
        carry += scan[BLOCK - 1];
        __syncthreads();
    }
}
