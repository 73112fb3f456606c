// expect: wrong_answer wrong_value
//
// Mandelbrot in floats.
//
// 24 bits instead of 28, and another rounding: near the edge of the set the counts differ.

#define BLOCK 256
#define BLOCKS 1024

__global__ void mandelbrot_kernel(const int* real, const int* imaginary, int* steps, int H, int W, int LIMIT) {
    const float one = 1 << 28;
    int threads = gridDim.x * BLOCK;
    for (int point = blockIdx.x * BLOCK + threadIdx.x; point < H * W; point += threads) {
        float cx = real[point % W] / one;
        float cy = imaginary[point / W] / one;
        float x = 0.0f;
        float y = 0.0f;
        float xx = 0.0f;
        float yy = 0.0f;
        int n = 0;
        while (n < LIMIT && xx + yy <= 4.0f) {
            y = 2.0f * x * y + cy;
            x = xx - yy + cx;
            xx = x * x;
            yy = y * y;
            n++;
        }
        steps[point] = n;
    }
}
