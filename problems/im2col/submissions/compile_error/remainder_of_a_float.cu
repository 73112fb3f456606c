// expect: compile_error
//
// Im2col with a remainder of floats.
//
// % takes whole numbers; fmodf is that of floats.

__global__ void im2col_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH,
                              int OW) {
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= C * K * K * OH * OW) {
        return;
    }
    int j = (float)place % OW;  // <- here
    int i = place / OW % OH;
    int s = place / (OW * OH) % K;
    int r = place / (OW * OH * K) % K;
    int c = place / (OW * OH * K * K);
    int y = i * S - P + r;
    int x = j * S - P + s;
    bool inside = y >= 0 && y < H && x >= 0 && x < W;
    output[place] = inside ? input[((size_t)c * H + y) * W + x] : 0.0f;
}
