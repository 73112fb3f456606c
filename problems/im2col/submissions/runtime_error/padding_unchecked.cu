// expect: runtime_error out_of_bounds
//
// Im2col that reads the padding.
//
// Nothing lies around the image in memory but other rows, and in the end what belongs to somebody else.

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
    output[place] = input[((long long)c * H + y) * W + x];
}
