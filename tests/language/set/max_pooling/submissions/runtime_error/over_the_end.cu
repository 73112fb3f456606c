// expect: runtime_error out_of_bounds
//
// The window that reaches over the row's end is not cut there.
__global__ void pool_kernel(const float* input, float* output, int* places, int M, int W, int K, int S, bool partial,
                            int OUT) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= OUT) {
        return;
    }
    const float* row = input + (size_t)blockIdx.y * W;
    int best = j * S;
    for (int i = best + 1; i < j * S + K; ++i) {
        best = row[i] > row[best] ? i : best;  // <- here
    }
    output[(size_t)blockIdx.y * OUT + j] = row[best];
    places[(size_t)blockIdx.y * OUT + j] = best;
}
