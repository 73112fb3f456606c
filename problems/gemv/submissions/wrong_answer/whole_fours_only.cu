// expect: wrong_answer wrong_value
//
// Matrix times vector in steps of four that forgets what is left over.
//
// N / 4 rounds down. The last N % 4 products of each row are never added.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        const float* a = A + row * N;
        float sum = 0.0f;
        for (int four = 0; four < N / 4; ++four) {
            int j = 4 * four;
            sum += a[j] * x[j] + a[j + 1] * x[j + 1] + a[j + 2] * x[j + 2] + a[j + 3] * x[j + 3];
        }
        y[row] = sum;
    }
}
