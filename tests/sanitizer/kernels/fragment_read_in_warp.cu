// data_race: the lanes of a warp read from shared memory what store_matrix_sync has just written there
// launch: 1 32
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __align__(32) float tile[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(c, in, 16, wmma::mem_row_major);
    wmma::store_matrix_sync(tile, c, 16, wmma::mem_row_major);  // found
#ifdef FIXED
    __syncwarp();
#endif
    for (int i = threadIdx.x; i < 256; i += 32) out[i] = tile[i] * 2.0f;  // found
}
