// load_matrix_sync waits for all lanes of its warp before it loads: what they have written until then is in order.
// launch: 1 32
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __align__(32) half tile[256];
    int lane = threadIdx.x;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::load_matrix_sync(c, in, 16, wmma::mem_row_major);
    for (int i = 0; i < 8; i++) tile[32 * i + lane] = __float2half(c.x[i]);
    wmma::load_matrix_sync(a, tile, 16);
    float sum = 0.0f;
    for (int i = 0; i < a.num_elements; i++) sum += __half2float(a.x[i]);
    out[lane] = sum;
}
