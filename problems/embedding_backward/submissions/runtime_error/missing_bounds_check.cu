// expect: runtime_error out_of_bounds
//
// Embedding backward without a bounds check.
//
// The grid is rounded up to whole blocks; the last threads have no element.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&gradient[(size_t)tokens[i / D] * D + i % D], upstream[i]);  // <- here
}
