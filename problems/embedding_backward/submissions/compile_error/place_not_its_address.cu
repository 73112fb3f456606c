// expect: compile_error
//
// Embedding backward with atomicAdd of an element.
//
// atomicAdd takes the address of what it adds to.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D) {
        atomicAdd(gradient[(size_t)tokens[i / D] * D + i % D], upstream[i]);  // <- here
    }
}
