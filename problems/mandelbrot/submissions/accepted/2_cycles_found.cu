// expect: accepted
//
// Mandelbrot, step 2: points that come back to where they were are done.
//
// Added to step 1: a thread remembers one z, and replaces it when n reaches the next power of two (Brent). If z meets it
// again, it goes round for ever, and the result is LIMIT. Most points of the set fall into a short cycle within a few
// hundred steps; with LIMIT = 10,000 that saves nine tenths of all steps. A step pays one comparison for it: the inner
// loop ends at the next power of two, so that nobody asks whether z has to be replaced.

#define BLOCK 256
#define BLOCKS 1024

__global__ void __launch_bounds__(BLOCK)
    mandelbrot_kernel(const int* __restrict__ real, const int* __restrict__ imaginary, int* __restrict__ steps, int H,
                      int W, int LIMIT) {
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
        int end = 1;
        while (n < LIMIT && xx + yy <= circle) {
            int seen_x = x;
            int seen_y = y;
            end = min(2 * end, LIMIT);
            while (n < end && xx + yy <= circle) {
                y = (int)((long long)x * y >> 27) + cy;
                x = (int)((xx - yy) >> 28) + cx;
                xx = (long long)x * x;
                yy = (long long)y * y;
                n++;
                if (x == seen_x && y == seen_y) {
                    n = LIMIT;
                }
            }
        }
        steps[point] = n;
    }
}
