// expect: accepted
//
// Bilinear resize, step 2: ratios instead of divisions.
//
// Added to step 1: H / OH and W / OW are computed once a thread, each place is one multiplication and addition, and a
// weighted mean is a + f * (b - a): two operations instead of three. The loads are the same; expect a gain where the
// divisions were the limit.

__global__ void resize_kernel(const float* __restrict__ input, float* __restrict__ output, int H, int W, int OH,
                              int OW) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= OH || j >= OW) {
        return;
    }
    float rows = __fdividef((float)H, (float)OH);
    float columns = __fdividef((float)W, (float)OW);
    float y = fminf(fmaxf(fmaf(i + 0.5f, rows, -0.5f), 0.0f), H - 1.0f);
    float x = fminf(fmaxf(fmaf(j + 0.5f, columns, -0.5f), 0.0f), W - 1.0f);
    int y0 = (int)y;
    int x0 = (int)x;
    const float* top = input + (size_t)y0 * W;
    const float* bottom = input + (size_t)min(y0 + 1, H - 1) * W;
    int x1 = min(x0 + 1, W - 1);
    float upper = top[x0] + (x - x0) * (top[x1] - top[x0]);
    float lower = bottom[x0] + (x - x0) * (bottom[x1] - bottom[x0]);
    output[(size_t)i * OW + j] = upper + (y - y0) * (lower - upper);
}
