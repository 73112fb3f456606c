// expect: accepted
//
// Zip, step 3: four pairs a thread, by float4.
//
// Added to step 2: one instruction moves 16 bytes, so that a quarter of the memory instructions moves the same data. The
// host launches N / 4 threads, and a second launch for the up to three elements that are left over. A launch of zero
// blocks is an error, so each happens only where it has something to do. Expect a twentieth less.

#include <cuda_runtime.h>

#define BLOCK 256

__global__ void __launch_bounds__(BLOCK)
    fours(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ output, int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count) {
        float4 x = a[i];
        float4 y = b[i];
        output[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

__global__ void rest(const float* a, const float* b, float* output) {
    output[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    int count = N / 4;
    int left = N % 4;
    if (count > 0) {
        fours<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>((const float4*)a, (const float4*)b, (float4*)output, count);
    }
    if (left > 0) {
        rest<<<1, left>>>(a + 4 * count, b + 4 * count, output + 4 * count);
    }
}
