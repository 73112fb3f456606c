// Depthwise convolution: every plane of the input with the K x K weights of its channel, zeros around the plane.
// B images of C planes of H x W elements, fp32.
//
// The kernel gets one thread for each output, in blocks of COLUMNS x ROWS threads. You may change the numbers: any
// constant expressions whose product is at most 1024.
#define COLUMNS 32
#define ROWS 8

__global__ void depthwise_kernel(const float* input, const float* weights, float* output, int B, int C, int H, int W,
                                 int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;  // image * C + channel

    // The grid is rounded up to whole blocks: some threads have no output and must not touch memory.
    if (row < H && column < W) {
        float sum = 0.0f;
        // Your turn: add up weight times element, for all weights that meet an element inside the plane.
        output[(plane * H + row) * W + column] = sum;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, const float* weights, float* output, int B, int C, int H, int W, int K) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + COLUMNS - 1) / COLUMNS, (H + ROWS - 1) / ROWS, B * C);
    depthwise_kernel<<<grid, block>>>(input, weights, output, B, C, H, W, K);
}
