// expect: compile_error
//
// Mandelbrot with a parenthesis too few.
//
// A cast and a shift in one line have many of them.

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
            y = (int)((long long)x * y >> 27 + cy;  // <- here
            x = (int)((xx - yy) >> 28) + cx;
            xx = (long long)x * x;
            yy = (long long)y * y;
            n++;
        }
        steps[point] = n;
    }
}
