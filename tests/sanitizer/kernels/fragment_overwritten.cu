// data_race: ldmatrix reads what another warp writes
// launch: 1 64
#include <cuda_fp16.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __align__(16) half s[64 * 8];
    int t = threadIdx.x;
    for (int i = 0; i < 8; ++i) s[8 * t + i] = __float2half(i);
    __syncthreads();
    if (t < 32) {
        unsigned at = (unsigned)__cvta_generic_to_shared(&s[8 * (t % 8)]), x;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(at) : "memory");  // found
        out[t] = x;
    }
#ifdef FIXED
    __syncthreads();
#endif
    if (t >= 32) s[t] = __float2half(5);  // found
}
