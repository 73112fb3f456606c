// expect: wrong_answer wrong_value
//
// Matrix times vector that stores the sum of one lane.
//
// Each lane has added every 32nd product. Lane 0 writes its own part, and nobody asks the other 31. Right where N is 1.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < M) {
        float sum = 0.0f;
        for (int j = lane; j < N; j += 32) {
            sum += A[row * N + j] * x[j];
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}
