// expect: wrong_answer
//
// 2D convolution whose tile has no halo.
//
// Elements of neighbouring tiles are taken as 0, as if the image ended there. With one tile there is no difference.

#define TILE 16

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    __shared__ float elements[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    elements[threadIdx.y][threadIdx.x] = y < H && x < W ? input[y * W + x] : 0.0f;
    __syncthreads();

    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                int row = (int)threadIdx.y + r - R / 2;
                int column = (int)threadIdx.x + s - S / 2;
                if (row >= 0 && row < TILE && column >= 0 && column < TILE) {
                    sum += weights[r * S + s] * elements[row][column];
                }
            }
        }
        output[y * W + x] = sum;
    }
}
