// expect: accepted
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void types_kernel(const double* d, const long long* w, const unsigned int* u, const __nv_bfloat16* b,
                             const __nv_fp8_e4m3* p, const __nv_fp8_e5m2* q, double* d_out, long long* w_out,
                             unsigned int* u_out, __nv_bfloat16* b_out, __nv_fp8_e4m3* p_out, __nv_fp8_e5m2* q_out,
                             int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        d_out[i] = d[i] * 3;
        w_out[i] = w[i] + 1;
        u_out[i] = u[i] / 3;
        b_out[i] = __float2bfloat16(__bfloat162float(b[i]) * 1.5f);
        p_out[i] = __nv_fp8_e4m3(float(p[i]) * 1.5f);
        q_out[i] = __nv_fp8_e5m2(float(q[i]) * 1.5f);
    }
}
