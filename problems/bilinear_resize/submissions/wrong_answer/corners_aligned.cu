// expect: wrong_answer wrong_value
//
// Bilinear resize with the corners aligned.
//
// First and last pixels of both images then meet, which PyTorch calls align_corners=True.

__global__ void resize_kernel(const float* input, float* output, int H, int W, int OH, int OW) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= OH || j >= OW) {
        return;
    }
    float y = OH > 1 ? (float)i * (H - 1) / (OH - 1) : 0.0f;
    float x = OW > 1 ? (float)j * (W - 1) / (OW - 1) : 0.0f;
    int y0 = (int)y;
    int x0 = (int)x;
    int y1 = min(y0 + 1, H - 1);
    int x1 = min(x0 + 1, W - 1);
    float fy = y - y0;
    float fx = x - x0;
    float upper = (1.0f - fx) * input[y0 * W + x0] + fx * input[y0 * W + x1];
    float lower = (1.0f - fx) * input[y1 * W + x0] + fx * input[y1 * W + x1];
    output[i * OW + j] = (1.0f - fy) * upper + fy * lower;
}
