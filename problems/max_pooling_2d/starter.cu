// 2D max pooling: every element of output is the largest element of a K x K window of its plane. Windows are S apart,
// the first begins P above and P left of the plane. C planes of H x W elements give C planes of OH x OW.
//
// The kernel gets one thread for each output, in blocks of COLUMNS x ROWS threads. You may change the numbers: any
// constant expressions whose product is at most 1024.
#define COLUMNS 32
#define ROWS 8

__global__ void max_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                   int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;

    // The grid is rounded up to whole blocks: some threads have no output and must not touch memory.
    if (row < OH && column < OW) {
        float largest = 0.0f;
        // Your turn: find the largest element of the window, as far as it lies inside the plane.
        output[(plane * OH + row) * OW + column] = largest;
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, float* output, int C, int H, int W, int K, int S, int P, int OH, int OW) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((OW + COLUMNS - 1) / COLUMNS, (OH + ROWS - 1) / ROWS, C);
    max_pooling_kernel<<<grid, block>>>(input, output, C, H, W, K, S, P, OH, OW);
}
