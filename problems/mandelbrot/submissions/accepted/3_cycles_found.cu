// expect: accepted
//
// Mandelbrot, step 3: points that come back to where they were are done.
//
// Added to step 2: a lane remembers one z, and replaces it when n reaches the next power of two (Brent). If z meets it
// again, it goes round for ever, and the result is LIMIT. Most points of the set fall into a short cycle within a few
// hundred steps; with LIMIT = 10,000 that saves nine tenths of all steps, for two comparisons in each of the rest.
// Three products of 32 bits are all arithmetic of a step that counts.

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
        bool cycle = x == seen_x && y == seen_y;
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
