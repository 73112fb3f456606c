// expect: accepted
//
// Depthwise convolution with host code of its own: eight outputs a thread, all else in registers.
//
// Added to step 2: K is a template's parameter, so that the weights stay in registers and the loops disappear. A
// thread goes down a column of eight outputs; of each row it reads K elements once and adds them to every sum that
// they belong to. With K = 7 an output costs 12 reads of shared memory instead of 98, and the memory is the limit
// again.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 4;
constexpr int OUTPUTS = 8;
constexpr int HEIGHT = ROWS * OUTPUTS;

template <int SIDE>
__global__ void __launch_bounds__(COLUMNS * ROWS)
    convolve(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, int C,
             int H, int W) {
    __shared__ float tile[HEIGHT + SIDE - 1][COLUMNS + SIDE - 1];
    const float* plane = input + (size_t)blockIdx.z * H * W;
    const float* given = weights + blockIdx.z % C * SIDE * SIDE;
    int first_row = blockIdx.y * HEIGHT;
    int first_column = blockIdx.x * COLUMNS;
    for (int r = threadIdx.y; r < HEIGHT + SIDE - 1; r += ROWS) {
        int y = first_row + r - SIDE / 2;
        for (int s = threadIdx.x; s < COLUMNS + SIDE - 1; s += COLUMNS) {
            int x = first_column + s - SIDE / 2;
            tile[r][s] = y >= 0 && y < H && x >= 0 && x < W ? plane[(size_t)y * W + x] : 0.0f;
        }
    }
    float own[SIDE][SIDE];
#pragma unroll
    for (int k = 0; k < SIDE * SIDE; k++) {
        own[k / SIDE][k % SIDE] = given[k];
    }
    __syncthreads();

    float sums[OUTPUTS] = {};
    int top = threadIdx.y * OUTPUTS;
#pragma unroll
    for (int r = 0; r < OUTPUTS + SIDE - 1; r++) {
        float line[SIDE];
#pragma unroll
        for (int s = 0; s < SIDE; s++) {
            line[s] = tile[top + r][threadIdx.x + s];
        }
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            if (r - o >= 0 && r - o < SIDE) {
#pragma unroll
                for (int s = 0; s < SIDE; s++) {
                    sums[o] += own[r - o][s] * line[s];
                }
            }
        }
    }
    int column = first_column + threadIdx.x;
    float* result = output + (size_t)blockIdx.z * H * W;
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        int row = first_row + top + o;
        if (row < H && column < W) {
            result[(size_t)row * W + column] = sums[o];
        }
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int B, int C, int H, int W, int K) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + COLUMNS - 1) / COLUMNS, (H + HEIGHT - 1) / HEIGHT, B * C);
    switch (K) {
        case 1: convolve<1><<<grid, block>>>(input, weights, output, C, H, W); break;
        case 2: convolve<2><<<grid, block>>>(input, weights, output, C, H, W); break;
        case 3: convolve<3><<<grid, block>>>(input, weights, output, C, H, W); break;
        case 4: convolve<4><<<grid, block>>>(input, weights, output, C, H, W); break;
        case 5: convolve<5><<<grid, block>>>(input, weights, output, C, H, W); break;
        case 6: convolve<6><<<grid, block>>>(input, weights, output, C, H, W); break;
        default: convolve<7><<<grid, block>>>(input, weights, output, C, H, W);
    }
}
