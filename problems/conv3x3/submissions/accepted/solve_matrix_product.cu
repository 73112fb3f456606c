// expect: accepted
//
// 3 x 3 convolution with host code of its own: a matrix product that finds its second factor itself.
//
// The weights are a matrix of F rows and 9 C columns. The other factor has a row for each of the 9 C weights of a
// filter and a column for each pixel; its elements are those of the input, moved by one row or column, and are read
// from there (implicit GEMM). 64 filters x 64 pixels a block, 4 x 4 sums a thread: eight reads of shared memory for
// sixteen products. It keeps its speed for small images of many channels, where the tiles of the direct method stick
// out of the image.

#include <cuda_runtime.h>

constexpr int SIDE = 64;  // filters, and pixels, of a block
constexpr int DEPTH = 16;
constexpr int EACH = 4;
constexpr int THREADS = (SIDE / EACH) * (SIDE / EACH);

__global__ void __launch_bounds__(THREADS)
    convolve(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, int C,
             int F, int H, int W) {
    __shared__ float4 of_weights[DEPTH][SIDE / EACH + 1];
    __shared__ float4 of_pixels[DEPTH][SIDE / EACH + 1];
    int terms = 9 * C;
    int pixels = H * W;
    int first_filter = blockIdx.y * SIDE;
    int first_pixel = blockIdx.x * SIDE;
    const float* image = input + (size_t)blockIdx.z * C * pixels;

    // A thread loads elements of one pixel, and of one term of the weights.
    int own_pixel = first_pixel + threadIdx.x % SIDE;
    int row = own_pixel / W;
    int column = own_pixel % W;
    int across = threadIdx.x % (SIDE / EACH);
    int down = threadIdx.x / (SIDE / EACH);

    float sums[EACH][EACH] = {};
    for (int first = 0; first < terms; first += DEPTH) {
        for (int k = threadIdx.x / SIDE; k < DEPTH; k += THREADS / SIDE) {
            int term = first + k;
            int c = term / 9;
            int y = row + term % 9 / 3 - 1;
            int x = column + term % 3 - 1;
            bool inside = term < terms && own_pixel < pixels && y >= 0 && y < H && x >= 0 && x < W;
            reinterpret_cast<float*>(of_pixels[k])[threadIdx.x % SIDE] =
                inside ? image[(size_t)c * pixels + y * W + x] : 0.0f;
        }
        for (int f = threadIdx.x / DEPTH; f < SIDE; f += THREADS / DEPTH) {
            int k = threadIdx.x % DEPTH;
            bool there = first_filter + f < F && first + k < terms;
            reinterpret_cast<float*>(of_weights[k])[f] =
                there ? weights[(size_t)(first_filter + f) * terms + first + k] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float4 a = of_weights[k][down];
            float4 b = of_pixels[k][across];
            float left[EACH] = {a.x, a.y, a.z, a.w};
            float right[EACH] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < EACH; i++) {
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    sums[i][j] += left[i] * right[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            int f = first_filter + down * EACH + i;
            int pixel = first_pixel + across * EACH + j;
            if (f < F && pixel < pixels) {
                output[((size_t)blockIdx.z * F + f) * pixels + pixel] = sums[i][j];
            }
        }
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int B, int C, int F, int H, int W) {
    dim3 grid((H * W + SIDE - 1) / SIDE, (F + SIDE - 1) / SIDE, B);
    convolve<<<grid, THREADS>>>(input, weights, output, C, F, H, W);
}
