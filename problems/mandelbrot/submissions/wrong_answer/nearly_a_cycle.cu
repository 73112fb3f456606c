// expect: wrong_answer wrong_value
//
// Mandelbrot that takes an orbit for a cycle when it comes near a point where it was.
//
// Beside the set's right end orbits move by a few units a step, and leave after thousands of steps.

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
    int x = cx;
    int y = cy;
    int n = 1;
    int seen_x = 0;
    int seen_y = 0;
    int replaced_at = 2;
    while (true) {
        long long xx = (long long)x * x;
        long long yy = (long long)y * y;
        bool cycle = abs(x - seen_x) < 64 && abs(y - seen_y) < 64;
        if (n < LIMIT && xx + yy <= circle && !cycle) {
            if (n == replaced_at) {
                seen_x = x;
                seen_y = y;
                replaced_at *= 2;
            }
            y = (int)((long long)x * y >> 27) + cy;
            x = (int)((xx - yy) >> 28) + cx;
            n++;
        } else {
            steps[point] = cycle ? LIMIT : n;
            point += threads;
            if (point >= H * W) {
                return;
            }
            cx = real[point % W];
            cy = imaginary[point / W];
            x = cx;
            y = cy;
            n = 1;
            seen_x = 0;
            seen_y = 0;
            replaced_at = 2;
        }
    }
}
