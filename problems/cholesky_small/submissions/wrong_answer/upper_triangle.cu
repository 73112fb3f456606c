// expect: wrong_answer wrong_value
//
// Small Cholesky that reads A above the diagonal.
//
// The matrix is what A has below the diagonal, on both sides.

#define WARPS 4

__global__ void cholesky_kernel(const float* A, float* L, int BATCH, int N, float ridge) {
    int matrix = blockIdx.x * WARPS + threadIdx.y;
    if (matrix >= BATCH || threadIdx.x > 0) {
        return;
    }
    const float* own = A + (size_t)matrix * N * N;
    float* result = L + (size_t)matrix * N * N;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < i; k++) {
            float sum = own[k * N + i];
            for (int j = 0; j < k; j++) {
                sum -= result[i * N + j] * result[k * N + j];
            }
            result[i * N + k] = sum / result[k * N + k];
        }
        float sum = own[i * N + i] + ridge;
        for (int j = 0; j < i; j++) {
            sum -= result[i * N + j] * result[i * N + j];
        }
        result[i * N + i] = sqrtf(sum);
        for (int k = i + 1; k < N; k++) {
            result[i * N + k] = 0.0f;
        }
    }
}
