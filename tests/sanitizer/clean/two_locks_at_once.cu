// Two locks are taken one after the other, and both protect what is changed under both.
// launch: 6 32
__device__ int locks[3];
__device__ float balance[3];
__device__ void take(int* lock) { while (atomicCAS(lock, 0, 1) != 0) {} }
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x) return;
    for (int i = 0; i < 6; ++i) {
        int a = (blockIdx.x + i) % 3, b = (a + 1) % 3;
        take(&locks[min(a, b)]);
        take(&locks[max(a, b)]);
        __threadfence();
        balance[a] -= in[i];
        balance[b] += in[i];
        __threadfence();
        atomicExch(&locks[a], 0);
        atomicExch(&locks[b], 0);
    }
}
