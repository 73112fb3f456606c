// expect: wrong_answer wrong_value
//
// Im2col that repeats the edge.
//
// The padding holds zeros.

__global__ void im2col_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH,
                              int OW) {
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= C * K * K * OH * OW) {
        return;
    }
    int j = place % OW;
    int i = place / OW % OH;
    int s = place / (OW * OH) % K;
    int r = place / (OW * OH * K) % K;
    int c = place / (OW * OH * K * K);
    int y = i * S - P + r;
    int x = j * S - P + s;
    output[place] = input[((size_t)c * H + min(max(y, 0), H - 1)) * W + min(max(x, 0), W - 1)];
}
