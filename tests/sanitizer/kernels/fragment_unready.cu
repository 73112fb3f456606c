// data_race: warps load rows with ldmatrix that other warps are still writing
#include <cuda_fp16.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __align__(16) half tile[16][24];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        tile[i / 16][i % 16] = __float2half(in[i]);  // found
#ifdef FIXED
    __syncthreads();
#endif
    unsigned lane = threadIdx.x % 32, r[4];
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[lane % 16][lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row));  // found
    out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}
