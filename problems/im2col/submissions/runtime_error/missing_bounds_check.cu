// expect: runtime_error out_of_bounds
//
// Im2col without a bounds check.
//
// The grid is rounded up to whole blocks; the last threads have no element.

__global__ void im2col_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH,
                              int OW) {
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    int j = place % OW;
    int i = place / OW % OH;
    int s = place / (OW * OH) % K;
    int r = place / (OW * OH * K) % K;
    int c = place / (OW * OH * K * K);
    int y = i * S - P + r;
    int x = j * S - P + s;
    bool inside = y >= 0 && y < H && x >= 0 && x < W;
    output[place] = inside ? input[((size_t)c * H + y) * W + x] : 0.0f;
}
