// 2D average pooling: every element of output is the mean of a K x K window of its plane, the padding left out. Windows
// are S apart, the first begins P above and P left of the plane. C planes of H x W give C planes of OH x OW, fp32.
//
// The kernel gets one thread for each output, in blocks of COLUMNS x ROWS threads. You may change the numbers: any
// constant expressions whose product is at most 1024.
#define COLUMNS 32
#define ROWS 8

__global__ void average_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                       int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;

    // The grid is rounded up to whole blocks: some threads have no output and must not touch memory.
    if (row < OH && column < OW) {
        float sum = 0.0f;
        int count = 1;
        // Your turn: add up the elements of the window that lie inside the plane, and count them.
        output[(plane * OH + row) * OW + column] = sum / count;
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH, int OW) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((OW + COLUMNS - 1) / COLUMNS, (OH + ROWS - 1) / ROWS, C);
    average_pooling_kernel<<<grid, block>>>(input, output, C, H, W, K, S, P, OH, OW);
}
