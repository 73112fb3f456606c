// 3 x 3 convolution: F filters of C x 3 x 3 weights over B images of C channels of H x W elements, zeros around them.
//
// The kernel gets one thread for each output, in blocks of COLUMNS x ROWS threads. You may change the numbers: any
// constant expressions whose product is at most 1024.
#define COLUMNS 32
#define ROWS 8

__global__ void conv3x3_kernel(const float* input, const float* weights, float* output, int B, int C, int F, int H,
                               int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int image = blockIdx.z / F;
    int filter = blockIdx.z % F;

    // The grid is rounded up to whole blocks: some threads have no output and must not touch memory.
    if (row < H && column < W) {
        float sum = 0.0f;
        // Your turn: add up weight times element, for all channels and all weights that meet an element inside.
        output[(((size_t)image * F + filter) * H + row) * W + column] = sum;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, const float* weights, float* output, int B, int C, int F, int H, int W) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + COLUMNS - 1) / COLUMNS, (H + ROWS - 1) / ROWS, B * F);
    conv3x3_kernel<<<grid, block>>>(input, weights, output, B, C, F, H, W);
}
