// expect: accepted
//
// Mandelbrot, step 1: a thread does one point after the other.
//
// The squares of the comparison are used again in the step, so that a step costs three products instead of five. A
// warp goes on until its slowest point is done.

#define BLOCK 256
#define BLOCKS 1024

__global__ void mandelbrot_kernel(const int* real, const int* imaginary, int* steps, int H, int W, int LIMIT) {
    const long long circle = 4LL << 56;
    int threads = gridDim.x * BLOCK;
    for (int point = blockIdx.x * BLOCK + threadIdx.x; point < H * W; point += threads) {
        int cx = real[point % W];
        int cy = imaginary[point / W];
        int x = 0;
        int y = 0;
        long long xx = 0;
        long long yy = 0;
        int n = 0;
        while (n < LIMIT && xx + yy <= circle) {
            y = (int)((long long)x * y >> 27) + cy;
            x = (int)((xx - yy) >> 28) + cx;
            xx = (long long)x * x;
            yy = (long long)y * y;
            n++;
        }
        steps[point] = n;
    }
}
