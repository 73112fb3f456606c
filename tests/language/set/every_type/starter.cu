#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void types_kernel(const double* d, const long long* w, const unsigned int* u, const __nv_bfloat16* b,
                             const __nv_fp8_e4m3* p, const __nv_fp8_e5m2* q, double* d_out, long long* w_out,
                             unsigned int* u_out, __nv_bfloat16* b_out, __nv_fp8_e4m3* p_out, __nv_fp8_e5m2* q_out,
                             int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        // Your turn.
    }
}
