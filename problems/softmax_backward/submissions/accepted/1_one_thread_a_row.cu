// expect: accepted
//
// Softmax backward, step 1: one thread does a whole row.
//
// Two loops: the dot product, then the gradients. All other threads of the block are idle.

__global__ void softmax_backward_kernel(const float* output, const float* upstream, float* gradient, int M, int N) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* y = output + (size_t)blockIdx.x * N;
    const float* dy = upstream + (size_t)blockIdx.x * N;
    float* dx = gradient + (size_t)blockIdx.x * N;
    float dot = 0.0f;
    for (int j = 0; j < N; j++) {
        dot += y[j] * dy[j];
    }
    for (int j = 0; j < N; j++) {
        dx[j] = y[j] * (dy[j] - dot);
    }
}
