// expect: runtime_error out_of_bounds
//
// 2D convolution with a halo of one element.
//
// That is enough for 3 x 3 weights. Larger ones run over the end of the shared array.

#define TILE 16

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    __shared__ float elements[(TILE + 2) * (TILE + 2)];
    int columns = TILE + S - 1;
    for (int r = threadIdx.y; r < TILE + R - 1; r += TILE) {
        for (int s = threadIdx.x; s < columns; s += TILE) {
            int row = (int)(blockIdx.y * TILE) + r - R / 2;
            int column = (int)(blockIdx.x * TILE) + s - S / 2;
            bool inside = row >= 0 && row < H && column >= 0 && column < W;
            elements[r * columns + s] = inside ? input[row * W + column] : 0.0f;  // <- here
        }
    }
    __syncthreads();

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                sum += weights[r * S + s] * elements[(threadIdx.y + r) * columns + threadIdx.x + s];
            }
        }
        output[y * W + x] = sum;
    }
}
