// expect: accepted
__global__ void pool_kernel(const float* input, float* output, int* places, int M, int W, int K, int S, bool partial,
                            int OUT) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= OUT) {
        return;
    }
    const float* row = input + (size_t)blockIdx.y * W;
    int best = j * S;
    for (int i = best + 1; i < min(j * S + K, W); ++i) {
        best = row[i] > row[best] ? i : best;
    }
    output[(size_t)blockIdx.y * OUT + j] = row[best];
    places[(size_t)blockIdx.y * OUT + j] = best;
}
