// expect: accepted
//
// Embedding backward, step 1: one thread, one element, one atomic addition.
//
// Neighbouring threads read neighbouring elements and add to neighbouring places of one row, so all accesses are
// coalesced. Where a word is frequent, its row's additions wait for each other.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D) {
        atomicAdd(&gradient[(size_t)tokens[i / D] * D + i % D], upstream[i]);
    }
}
