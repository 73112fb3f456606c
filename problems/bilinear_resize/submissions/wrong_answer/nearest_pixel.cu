// expect: wrong_answer wrong_value
//
// Resize to the nearest pixel.
//
// One pixel instead of four: nothing is interpolated.

__global__ void resize_kernel(const float* input, float* output, int H, int W, int OH, int OW) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= OH || j >= OW) {
        return;
    }
    float y = fminf(fmaxf((i + 0.5f) * H / OH - 0.5f, 0.0f), H - 1.0f);
    float x = fminf(fmaxf((j + 0.5f) * W / OW - 0.5f, 0.0f), W - 1.0f);
    int y0 = (int)y;
    int x0 = (int)x;
    int y1 = min(y0 + 1, H - 1);
    int x1 = min(x0 + 1, W - 1);
    float fy = rintf(y - y0);
    float fx = rintf(x - x0);
    float upper = (1.0f - fx) * input[y0 * W + x0] + fx * input[y0 * W + x1];
    float lower = (1.0f - fx) * input[y1 * W + x0] + fx * input[y1 * W + x1];
    output[i * OW + j] = (1.0f - fy) * upper + fy * lower;
}
