// expect: runtime_error uninitialized_read
//
// Matrix times vector whose lanes add their sums to y by atomicAdd.
//
// y does not start as zeros, so the sums are added to whatever was there before.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < M) {
        float sum = 0.0f;
        for (int j = lane; j < N; j += 32) {
            sum += A[row * N + j] * x[j];
        }
        atomicAdd(&y[row], sum);  // <- here
    }
}
