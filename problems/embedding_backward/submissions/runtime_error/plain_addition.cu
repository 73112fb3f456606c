// expect: runtime_error data_race
//
// Embedding backward without atomics.
//
// Two places of one word read the same sum, and each stores its own.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D) {
        gradient[(size_t)tokens[i / D] * D + i % D] += upstream[i];
    }
}
