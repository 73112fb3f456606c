#include <cuda_runtime.h>
#include <cuda_fp16.h>

__global__ void work(const half* x, const half* scale, half* y, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) y[i] = x[i] * scale[i / columns];
}

extern "C" void solve(const half* x, const half* scale, half* y, int rows, int columns) {
    work<<<(rows * columns + 255) / 256, 256>>>(x, scale, y, rows, columns);
}
