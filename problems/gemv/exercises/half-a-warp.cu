__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;
    int lane = thread % 32;
    if (row >= M) {
        return;
    }

    float sum = 0.0f;
    for (int j = lane; j < N; j += 32) {
        sum += A[row * N + j] * x[j];
    }
    for (int distance = 8; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}
