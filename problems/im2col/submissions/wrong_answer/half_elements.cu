// expect: wrong_answer
//
// Im2col through fp16.
//
// A copy has to keep every bit.

#include <cuda_fp16.h>

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
    bool inside = y >= 0 && y < H && x >= 0 && x < W;
    output[place] = inside ? __half2float(__float2half(input[((size_t)c * H + y) * W + x])) : 0.0f;
}
