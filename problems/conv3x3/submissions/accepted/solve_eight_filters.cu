// expect: accepted
//
// 3 x 3 convolution with host code of its own: four rows and eight filters a thread.
//
// Added to step 2: a thread has 32 sums in registers. Of a channel it reads 18 elements from shared memory, each for
// up to twelve products a filter, and the nine weights of a filter as three float4 that all threads of the block
// share: 42 reads for 288 products instead of 576. The products are the limit then, not shared memory, and each
// element is read from global memory F / 8 times instead of F.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 4;
constexpr int OUTPUTS = 4;
constexpr int FILTERS = 8;
constexpr int HEIGHT = ROWS * OUTPUTS;
constexpr int THREADS = COLUMNS * ROWS;

__global__ void __launch_bounds__(THREADS)
    convolve(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, int C,
             int F, int H, int W, int groups) {
    __shared__ float tile[HEIGHT + 2][COLUMNS + 2];
    // Nine weights of each filter, and three that nobody reads: a filter is three float4.
    __shared__ float4 own[FILTERS][3];
    int image = blockIdx.z / groups;
    int filter = blockIdx.z % groups * FILTERS;
    int first_row = blockIdx.y * HEIGHT;
    int first_column = blockIdx.x * COLUMNS;
    int thread = threadIdx.y * COLUMNS + threadIdx.x;

    float sums[FILTERS][OUTPUTS] = {};
    for (int c = 0; c < C; c++) {
        const float* plane = input + ((size_t)image * C + c) * H * W;
        for (int r = threadIdx.y; r < HEIGHT + 2; r += ROWS) {
            int y = first_row + r - 1;
            for (int s = threadIdx.x; s < COLUMNS + 2; s += COLUMNS) {
                int x = first_column + s - 1;
                tile[r][s] = y >= 0 && y < H && x >= 0 && x < W ? plane[(size_t)y * W + x] : 0.0f;
            }
        }
        if (thread < FILTERS * 12) {
            int f = filter + thread / 12;
            int k = thread % 12;
            bool there = f < F && k < 9;
            reinterpret_cast<float*>(own)[thread] = there ? weights[((size_t)f * C + c) * 9 + k] : 0.0f;
        }
        __syncthreads();

        float elements[OUTPUTS + 2][3];
#pragma unroll
        for (int r = 0; r < OUTPUTS + 2; r++) {
#pragma unroll
            for (int s = 0; s < 3; s++) {
                elements[r][s] = tile[threadIdx.y * OUTPUTS + r][threadIdx.x + s];
            }
        }
#pragma unroll
        for (int f = 0; f < FILTERS; f++) {
            float4 a = own[f][0];
            float4 b = own[f][1];
            float4 d = own[f][2];
            float nine[9] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, d.x};
#pragma unroll
            for (int k = 0; k < 9; k++) {
#pragma unroll
                for (int o = 0; o < OUTPUTS; o++) {
                    sums[f][o] += nine[k] * elements[o + k / 3][k % 3];
                }
            }
        }
        __syncthreads();
    }

    int column = first_column + threadIdx.x;
    int top = first_row + threadIdx.y * OUTPUTS;
#pragma unroll
    for (int f = 0; f < FILTERS; f++) {
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            if (filter + f < F && top + o < H && column < W) {
                output[(((size_t)image * F + filter + f) * H + top + o) * W + column] = sums[f][o];
            }
        }
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int B, int C, int F, int H, int W) {
    int groups = (F + FILTERS - 1) / FILTERS;
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + COLUMNS - 1) / COLUMNS, (H + HEIGHT - 1) / HEIGHT, B * groups);
    convolve<<<grid, block>>>(input, weights, output, C, F, H, W, groups);
}
