// expect: accepted
//
// 2D convolution with host code of its own: weights in constant memory, and four outputs a thread.
//
// The weights are copied to constant memory, device to device, before the launch; all threads of a warp read the same
// one at the same time, the one pattern that constant memory serves at full speed. A thread computes four outputs
// below each other, so that each weight that it reads serves four products.

#include <cuda_runtime.h>

constexpr int WIDTH = 32;
constexpr int HEIGHT = 8;
constexpr int OUTPUTS = 4;
constexpr int MOST = 31;

__constant__ float constant_weights[MOST * MOST];

__global__ void convolve(const float* input, float* output, int H, int W, int R, int S) {
    __shared__ float elements[HEIGHT * OUTPUTS + MOST - 1][WIDTH + MOST - 1];
    const int first_row = blockIdx.y * HEIGHT * OUTPUTS;
    const int first_column = blockIdx.x * WIDTH;
    for (int r = threadIdx.y; r < HEIGHT * OUTPUTS + R - 1; r += HEIGHT) {
        for (int s = threadIdx.x; s < WIDTH + S - 1; s += WIDTH) {
            const int row = first_row + r - R / 2;
            const int column = first_column + s - S / 2;
            const bool inside = row >= 0 && row < H && column >= 0 && column < W;
            elements[r][s] = inside ? input[row * W + column] : 0.0f;
        }
    }
    __syncthreads();

    float sums[OUTPUTS] = {};
    for (int r = 0; r < R; ++r) {
        for (int s = 0; s < S; ++s) {
            const float weight = constant_weights[r * S + s];
#pragma unroll
            for (int o = 0; o < OUTPUTS; ++o) {
                sums[o] += weight * elements[threadIdx.y + o * HEIGHT + r][threadIdx.x + s];
            }
        }
    }
    const int x = first_column + threadIdx.x;
    for (int o = 0; o < OUTPUTS; ++o) {
        const int y = first_row + o * HEIGHT + threadIdx.y;
        if (y < H && x < W) {
            output[y * W + x] = sums[o];
        }
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int H, int W, int R, int S) {
    cudaMemcpyToSymbol(constant_weights, weights, R * S * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    dim3 block(WIDTH, HEIGHT);
    dim3 grid((W + WIDTH - 1) / WIDTH, (H + HEIGHT * OUTPUTS - 1) / (HEIGHT * OUTPUTS));
    convolve<<<grid, block>>>(input, output, H, W, R, S);
}
