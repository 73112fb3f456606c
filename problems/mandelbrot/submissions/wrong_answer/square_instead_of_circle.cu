// expect: wrong_answer wrong_value
//
// Mandelbrot that asks whether a part exceeds 2.
//
// That is a square around the circle; its corners are outside the circle.

#define BLOCK 256
#define BLOCKS 1024

__global__ void __launch_bounds__(BLOCK)
    mandelbrot_kernel(const int* __restrict__ real, const int* __restrict__ imaginary, int* __restrict__ steps, int H,
                      int W, int LIMIT) {
    const long long circle = 4LL << 56;
    int threads = gridDim.x * BLOCK;
    int point = blockIdx.x * BLOCK + threadIdx.x;
    if (point >= H * W) {
        return;
    }
    int cx = real[point % W];
    int cy = imaginary[point / W];
    // The first step leads from 0 to c.
    int x = cx;
    int y = cy;
    int n = 1;
    while (true) {
        long long xx = (long long)x * x;
        long long yy = (long long)y * y;
        if (n < LIMIT && xx <= circle && yy <= circle) {
            y = (int)((long long)x * y >> 27) + cy;
            x = (int)((xx - yy) >> 28) + cx;
            n++;
        } else {
            steps[point] = n;
            point += threads;
            if (point >= H * W) {
                return;
            }
            cx = real[point % W];
            cy = imaginary[point / W];
            x = cx;
            y = cy;
            n = 1;
        }
    }
}
