// 2D convolution: output[y][x] = sum of weights[r][s] * input[y + r - R / 2][x + s - S / 2], with zeros around the
// image.
//
// The kernel gets one thread for each element of the H x W output, in square blocks of TILE x TILE threads. You may
// change the number: any constant expression up to 32, for a block has at most 1024 threads.
#define TILE 16

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    // The x direction runs along a row of the image, so that neighbouring threads touch neighbouring floats.
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    // The grid is rounded up to whole blocks: some threads lie outside of the image and must not touch memory.
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                // Your turn: add weights[r * S + s] times the element that it meets, if there is one.
            }
        }
        // Your turn: store the sum.
    }
}

// Host code: the grader calls it. All arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, const float* weights, float* output, int H, int W, int R, int S) {
    dim3 block(TILE, TILE);
    dim3 grid((W + TILE - 1) / TILE, (H + TILE - 1) / TILE);
    convolution_kernel<<<grid, block>>>(input, weights, output, H, W, R, S);
}
