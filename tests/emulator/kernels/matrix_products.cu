#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// A warp a 16 x 16 square of C = A B, from global memory; B is given by columns.
extern "C" __global__ void by_wmma(const half* A, const half* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(a, A + row * 16 * K + k, K);
        wmma::load_matrix_sync(b, B + column * 16 * K + k, K);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + row * 16 * N + column * 16, c, N, wmma::mem_row_major);
}

// A block of four warps a 64 x 64 tile of C = A B by cp.async, ldmatrix and mma; two stages, B by rows.
__device__ __forceinline__ unsigned address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void copy(unsigned to, const half* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from) : "memory");
}

extern "C" __global__ void by_mma(const half* A, const half* B, float* C, int M, int N, int K) {
    __shared__ __align__(16) half as[2][64][40];
    __shared__ __align__(16) half bs[2][32][72];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    int top = warp / 2 * 32, left = warp % 2 * 32, rows = blockIdx.y * 64, columns = blockIdx.x * 64;
    float sums[2][4][4] = {};
    auto fetch = [&](int stage, int k) {
        for (int c = t; c < 256; c += 128) {
            copy(address(&as[stage][c / 4][c % 4 * 8]), A + (rows + c / 4) * K + k + c % 4 * 8);
            copy(address(&bs[stage][c / 8][c % 8 * 8]), B + (k + c / 8) * N + columns + c % 8 * 8);
        }
        asm volatile("cp.async.commit_group;\n" ::: "memory");
    };
    fetch(0, 0);
    for (int k = 0, stage = 0; k < K; k += 32, stage ^= 1) {
        if (k + 32 < K) {
            fetch(stage ^ 1, k + 32);
            asm volatile("cp.async.wait_group 1;\n" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;\n" ::: "memory");
        }
        __syncthreads();
        for (int part = 0; part < 32; part += 16) {
            unsigned a[2][4], b[4][2];
            for (int i = 0; i < 2; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                             : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                             : "r"(address(&as[stage][top + i * 16 + lane % 16][part + lane / 16 * 8])));
            for (int j = 0; j < 4; j++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"
                             : "=r"(b[j][0]), "=r"(b[j][1])
                             : "r"(address(&bs[stage][part + lane % 16][left + j * 8])));
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                                 : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]), "+f"(sums[i][j][2]), "+f"(sums[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            int row = rows + top + i * 16 + lane / 4, column = columns + left + j * 8 + lane % 4 * 2;
            *(float2*)&C[row * N + column] = make_float2(sums[i][j][0], sums[i][j][1]);
            *(float2*)&C[(row + 8) * N + column] = make_float2(sums[i][j][2], sums[i][j][3]);
        }
}
