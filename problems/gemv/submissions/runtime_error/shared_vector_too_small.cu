// expect: runtime_error out_of_bounds
//
// Matrix times vector with all of x in a shared array of fixed length.
//
// The student tried N up to 256. Longer vectors run over the end of the array.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    __shared__ float shared[256];
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        shared[j] = x[j];  // <- here
    }
    __syncthreads();

    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            sum += A[row * N + j] * shared[j];
        }
        y[row] = sum;
    }
}
