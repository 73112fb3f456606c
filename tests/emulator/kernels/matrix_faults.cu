#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

__device__ unsigned address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void loads(const half* a, float* c, int at, int stride) {
    A fa;
    C fc;
    wmma::load_matrix_sync(fa, a + at, stride);  // <- load
    wmma::fill_fragment(fc, float(fa.x[0]));
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void stores(float* c, int at, int stride) {
    C fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::store_matrix_sync(c + at, fc, stride, wmma::mem_row_major);  // <- store
}

extern "C" __global__ void in_shared(float* c, int at) {
    __shared__ __align__(32) half tile[256];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = __float2half(1.0f);
    __syncthreads();
    A fa;
    wmma::load_matrix_sync(fa, tile + at, 16);  // <- shared
    c[threadIdx.x] = fa.x[0];
}

extern "C" __global__ void rows(unsigned* out, int lane, int moved) {
    __shared__ __align__(16) half tile[16 * 16];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = __float2half(1.0f);
    __syncthreads();
    int at = threadIdx.x % 16 * 16 + threadIdx.x / 16 * 8;
    if (threadIdx.x == lane) at += moved;
    unsigned r[4], from = address(tile + at);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from));  // <- rows
    out[threadIdx.x] = r[0] ^ r[1] ^ r[2] ^ r[3];
}

extern "C" __global__ void some(float* c, int many) {
    C fc;
    wmma::fill_fragment(fc, 1.0f);
    if (threadIdx.x % 32 < many)
        wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);  // <- some
}

extern "C" __global__ void some_wait(float* c, int many) {
    C fc;
    wmma::fill_fragment(fc, 1.0f);
    if (threadIdx.x % 32 < many)
        wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);  // <- some wait
    __syncthreads();
    c[256 + threadIdx.x] = 1.0f;
}

extern "C" __global__ void disagree(const half* a, float* c, int by, int more) {
    A fa;
    wmma::load_matrix_sync(fa, a + by * (threadIdx.x == 5), 16 + more * (threadIdx.x > 29));  // <- disagree
    c[threadIdx.x] = fa.x[0];
}

extern "C" __global__ void apart(float* c, const float* bias) {
    // Lanes that come by different ways meet at the load.
    C fc;
    float add;
    if (threadIdx.x % 2) {
        add = bias[threadIdx.x] * 2;
        __nanosleep(10);
    } else {
        add = bias[threadIdx.x] + 5;
    }
    wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] += add;
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
