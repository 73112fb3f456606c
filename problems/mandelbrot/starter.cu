// Mandelbrot: for each point c of the plane, the steps of z = z * z + c until z has left the circle of radius 2.
// Numbers are fixed-point: an int of value v stands for v / 2^28. Products need 64 bits.
//
// The kernel gets a thread for each point, BLOCK in each block, but no more than BLOCKS blocks. You may change both.
#define BLOCK 256
#define BLOCKS 1024

__global__ void mandelbrot_kernel(const int* real, const int* imaginary, int* steps, int H, int W, int LIMIT) {
    int threads = gridDim.x * blockDim.x;
    for (int point = blockIdx.x * blockDim.x + threadIdx.x; point < H * W; point += threads) {
        long long x = 0;
        long long y = 0;
        int n = 0;
        // Your turn: replace z by z * z + c while it is inside the circle and n is below LIMIT. c is
        // (real[column], imaginary[row]) of this point.
        steps[point] = n;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* real, const int* imaginary, int* steps, int H, int W, int LIMIT) {
    int blocks = (H * W + BLOCK - 1) / BLOCK;
    mandelbrot_kernel<<<blocks < BLOCKS ? blocks : BLOCKS, BLOCK>>>(real, imaginary, steps, H, W, LIMIT);
}
