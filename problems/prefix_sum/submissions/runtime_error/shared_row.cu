// expect: runtime_error out_of_bounds
//
// Prefix sum with the whole row in a shared array of 1024 floats.
//
// The student tried short rows. Longer ones run over the end of the array.

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    __shared__ float row[1024];
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        row[j] = input[blockIdx.x * N + j];  // <- here
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int j = 1; j < N; ++j) {
            row[j] += row[j - 1];
        }
    }
    __syncthreads();
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        output[blockIdx.x * N + j] = row[j];
    }
}
