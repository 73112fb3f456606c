// expect: wrong_answer wrong_value
//
// Softmax backward that subtracts the sum of the gradients.
//
// Each gradient counts as much as its output is large.

__global__ void softmax_backward_kernel(const float* output, const float* upstream, float* gradient, int M, int N) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* y = output + (size_t)blockIdx.x * N;
    const float* dy = upstream + (size_t)blockIdx.x * N;
    float* dx = gradient + (size_t)blockIdx.x * N;
    float dot = 0.0f;
    for (int j = 0; j < N; j++) {
        dot += dy[j];
    }
    for (int j = 0; j < N; j++) {
        dx[j] = y[j] * (dy[j] - dot);
    }
}
