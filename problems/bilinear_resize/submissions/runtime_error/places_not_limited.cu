// expect: runtime_error out_of_bounds
//
// Bilinear resize whose places leave the image.
//
// The first places lie up to half a pixel outside of the image, or more, and rounding down makes them row -1.

__global__ void resize_kernel(const float* input, float* output, int H, int W, int OH, int OW) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= OH || j >= OW) {
        return;
    }
    float y = (i + 0.5f) * H / OH - 0.5f;
    float x = fminf(fmaxf((j + 0.5f) * W / OW - 0.5f, 0.0f), W - 1.0f);
    int y0 = (int)floorf(y);
    int x0 = (int)x;
    int y1 = min(y0 + 1, H - 1);
    int x1 = min(x0 + 1, W - 1);
    float fy = y - y0;
    float fx = x - x0;
    float upper = (1.0f - fx) * input[y0 * W + x0] + fx * input[y0 * W + x1];  // <- here
    float lower = (1.0f - fx) * input[y1 * W + x0] + fx * input[y1 * W + x1];
    output[i * OW + j] = (1.0f - fy) * upper + fy * lower;
}
