// expect: wrong_answer low_precision
//
// Sparse matrix times vector with halves.
//
// The student wanted to save half of the traffic, but the arrays are fp32 all the same.

#include <cuda_fp16.h>

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int k = offsets[row]; k < offsets[row + 1]; k++) {
            sum += __half2float(__float2half(values[k])) * __half2float(__float2half(x[columns[k]]));
        }
        y[row] = sum;
    }
}
