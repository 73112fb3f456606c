// expect: runtime_error out_of_bounds
//
// Zip by float4, with the number of fours rounded up.
//
// Rounding up is right for threads, which a guard can stop. A float4 can't be stopped half way: the last one reaches
// up to three elements beyond the array.

#include <cuda_runtime.h>

__global__ void vector_add(const float4* A, const float4* B, float4* C, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float4 a = A[i];  // <- here
        float4 b = B[i];
        C[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int count = (N + 3) / 4;
    vector_add<<<(count + 255) / 256, 256>>>((const float4*)A, (const float4*)B, (float4*)C, count);
}
