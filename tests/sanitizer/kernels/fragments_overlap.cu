// data_race: two warps store their fragments to tiles that overlap
// launch: 1 64
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int warp = threadIdx.x / 32;
#ifdef FIXED
    int first = 256 * warp;
#else
    int first = 128 * warp;
#endif
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 1.0f + warp);
    wmma::store_matrix_sync(out + first, c, 16, wmma::mem_row_major);  // found
}
