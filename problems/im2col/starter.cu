// Im2col: output[c][r][s][i][j] = input[c][i * S - P + r][j * S - P + s], and 0 outside the image. fp32.
//
// The kernel gets one thread for each element of the output, in blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__global__ void im2col_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH,
                              int OW) {
    int place = blockIdx.x * blockDim.x + threadIdx.x;

    // The grid is rounded up to whole blocks: the last threads have no element and must not touch memory.
    if (place < C * K * K * OH * OW) {
        int j = place % OW;
        int i = place / OW % OH;
        // Your turn: find c, r and s, and the element of the input, if it is inside.
        output[place] = i + j;
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH, int OW) {
    int blocks = (C * K * K * OH * OW + BLOCK - 1) / BLOCK;
    im2col_kernel<<<blocks, BLOCK>>>(input, output, C, H, W, K, S, P, OH, OW);
}
