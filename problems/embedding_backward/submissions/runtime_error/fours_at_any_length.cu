// expect: runtime_error misaligned
//
// Embedding backward by float4, whatever D is.
//
// Where D is no multiple of four, rows begin in the middle of 16 bytes.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int fours = (D + 3) / 4;
    if (i < N * fours) {
        int n = i / fours;
        int d = i % fours * 4;
        float* to = gradient + (size_t)tokens[n] * D + d;
        if (d + 4 <= D) {
            float4 x = *reinterpret_cast<const float4*>(upstream + (size_t)n * D + d);  // <- here
            atomicAdd(to, x.x);
            atomicAdd(to + 1, x.y);
            atomicAdd(to + 2, x.z);
            atomicAdd(to + 3, x.w);
        } else {
            for (int rest = 0; d + rest < D; rest++) {
                atomicAdd(to + rest, upstream[(size_t)n * D + d + rest]);
            }
        }
    }
}
