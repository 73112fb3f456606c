// expect: compile_error
//
// Matrix times vector with the sizes in front.
//
// The student followed the order of BLAS. Arguments are passed by position: what arrives as M would be an address.

__global__ void gemv_kernel(int M, int N, const float* A, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            sum += A[row * N + j] * x[j];
        }
        y[row] = sum;
    }
}
