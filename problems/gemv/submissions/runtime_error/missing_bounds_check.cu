// expect: runtime_error out_of_bounds
//
// Matrix times vector without a bounds check.
//
// The student thought of the first M threads only. There are 32 times as many, and the others read behind the matrix.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < N; ++j) {
        sum += A[row * N + j] * x[j];  // <- here
    }
    y[row] = sum;
}
