// expect: wrong_answer wrong_value
//
// GRU step whose sums take the first 896 columns of the state.
//
// A state may have 1,024.

#define TILE 16

__device__ float sigmoid(float a) {
    return 1.0f / (1.0f + expf(-a));
}

__global__ void gru_kernel(const float* x, const float* h, const float* W, const float* U, const float* w_bias,
                           const float* u_bias, float* next, int B, int D, int H) {
    int j = blockIdx.x * TILE + threadIdx.x;
    int b = blockIdx.y * TILE + threadIdx.y;
    if (b >= B || j >= H) {
        return;
    }
    float reset = w_bias[j] + u_bias[j];
    float update = w_bias[H + j] + u_bias[H + j];
    float of_x = w_bias[2 * H + j];
    float of_h = u_bias[2 * H + j];
    for (int i = 0; i < D; i++) {
        float value = x[b * D + i];
        reset += W[j * D + i] * value;
        update += W[(H + j) * D + i] * value;
        of_x += W[(2 * H + j) * D + i] * value;
    }
    for (int k = 0; k < min(H, 896); k++) {
        float value = h[b * H + k];
        reset += U[j * H + k] * value;
        update += U[(H + j) * H + k] * value;
        of_h += U[(2 * H + j) * H + k] * value;
    }
    float z = sigmoid(update);
    float n = tanhf(of_x + sigmoid(reset) * of_h);
    next[b * H + j] = (1.0f - z) * n + z * h[b * H + j];
}
