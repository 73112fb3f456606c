// data_race: the next tile is written over one that a slower warp still loads from
// launch: 1 64
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __align__(32) half tile[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    for (int step = 0; step < 3; step++) {
        for (int i = threadIdx.x; i < 256; i += 64) tile[i] = __float2half(in[256 * step + i]);  // found
        __syncthreads();
        wmma::load_matrix_sync(a, tile, 16);  // found
        wmma::load_matrix_sync(b, tile, 16);  // found
        wmma::mma_sync(c, a, b, c);
#ifdef FIXED
        __syncthreads();
#endif
    }
    wmma::store_matrix_sync(out + 256 * (threadIdx.x / 32), c, 16, wmma::mem_row_major);
}
