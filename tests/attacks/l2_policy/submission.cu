// expect: accepted
// problem: zip
// row: 11
//
// Asks for lines that stay in the L2 by a cache policy. Legal on a GPU, where the protocol takes its gain away as that
// of a prefetch; the emulator has no caches.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    float x;
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(a + i), "l"(policy));
    output[i] = x + b[i];
}
