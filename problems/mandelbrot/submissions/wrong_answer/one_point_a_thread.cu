// expect: wrong_answer unwritten_output
//
// Mandelbrot with one point a thread.
//
// There are at most BLOCKS blocks; in a large picture each thread has several points.

#define BLOCK 256
#define BLOCKS 8

__global__ void mandelbrot_kernel(const int* real, const int* imaginary, int* steps, int H, int W, int LIMIT) {
    const long long circle = 4LL << 56;
    int point = blockIdx.x * BLOCK + threadIdx.x;
    if (point < H * W) {
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
