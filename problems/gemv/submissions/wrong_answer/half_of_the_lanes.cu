// expect: wrong_answer wrong_value
//
// Matrix times vector whose shuffles begin at distance 8.
//
// Five steps add up 32 lanes: 16, 8, 4, 2, 1. The student counted four, and lanes 16 to 31 are lost.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < M) {
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
}
