// expect: runtime_error out_of_bounds
//
// Matrix times vector with the wrong size as the length of a row.
//
// A row has N elements. With M instead, the last rows of a tall matrix lie far behind its end; a square one is right.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < M) {
        float sum = 0.0f;
        for (int j = lane; j < N; j += 32) {
            sum += A[row * M + j] * x[j];  // <- here
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, distance);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}
