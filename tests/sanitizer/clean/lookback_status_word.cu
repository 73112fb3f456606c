// Decoupled look-back: status and value in one 64-bit word, read and written relaxed; no fence is needed.
// launch: 12 32
#include <cuda/atomic>
__device__ unsigned long long state[64];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int b = blockIdx.x, t = threadIdx.x;
    float v = in[b * 32 + t];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (t == 0) {
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> own(state[b]);
        own.store((1ull << 32) | __float_as_uint(v), cuda::memory_order_relaxed);
        float before = 0;
        for (int p = b - 1; p >= 0;) {
            cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> other(state[p]);
            unsigned long long s = other.load(cuda::memory_order_relaxed);
            if (s >> 32 == 0) continue;
            before += __uint_as_float((unsigned)s);
            if (s >> 32 == 2) break;
            p--;
        }
        own.store((2ull << 32) | __float_as_uint(before + v), cuda::memory_order_relaxed);
        out[b] = before;
    }
}
