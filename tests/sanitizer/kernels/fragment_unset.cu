// uninitialized_read: the last rows of a tile for wmma are beyond the end of the input, and nobody sets them to zero
// launch: 1 32
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __align__(32) half tile[256];
    int rows = 13;
    for (int i = threadIdx.x; i < 256; i += 32) {
        if (i < rows * 16) tile[i] = __float2half(in[i]);
#ifdef FIXED
        else tile[i] = __float2half(0.0f);
#endif
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::load_matrix_sync(a, tile, 16);  // found
    float sum = 0.0f;
    for (int i = 0; i < a.num_elements; i++) sum += __half2float(a.x[i]);
    out[threadIdx.x] = sum;
}
