// expect: wrong_value
#include <cuda_runtime.h>
#include <cuda_bf16.h>

__global__ void work(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = __float2bfloat16(__bfloat162float(x[i]) - __bfloat162float(y[i]));
}

extern "C" void solve(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z, int n) {
    work<<<(n + 255) / 256, 256>>>(x, y, z, n);
}
