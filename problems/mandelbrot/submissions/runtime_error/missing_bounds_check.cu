// expect: runtime_error out_of_bounds
//
// Mandelbrot whose surplus threads begin, too.
//
// The grid is rounded up to whole blocks; the last threads have no point.

#define BLOCK 256
#define BLOCKS 1024

__global__ void __launch_bounds__(BLOCK)
    mandelbrot_kernel(const int* __restrict__ real, const int* __restrict__ imaginary, int* __restrict__ steps, int H,
                      int W, int LIMIT) {
    const long long circle = 4LL << 56;
    int threads = gridDim.x * BLOCK;
    int point = blockIdx.x * BLOCK + threadIdx.x;
    int cx = real[point % W];
    int cy = imaginary[point / W];  // <- here
    // The first step leads from 0 to c.
    int x = cx;
    int y = cy;
    int n = 1;
    while (true) {
        long long xx = (long long)x * x;
        long long yy = (long long)y * y;
        if (n < LIMIT && xx + yy <= circle) {
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
