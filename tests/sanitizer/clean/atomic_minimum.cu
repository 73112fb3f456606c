// Atomics of all kinds on one place, from lanes, warps and blocks.
// launch: 4 64
__device__ int low = 1 << 30, high, bits;
__device__ float sum;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    int x = (int)in[blockIdx.x * 64 + threadIdx.x];
    atomicMin(&low, x);
    atomicMax(&high, x);
    atomicOr(&bits, x);
    atomicAdd(&sum, in[x]);
    atomicMax(&s, x);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
