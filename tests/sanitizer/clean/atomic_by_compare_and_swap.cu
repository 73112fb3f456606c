// The CUDA guide's atomicAdd for any type: its first read is plain, the swap fails if somebody came between.
// launch: 4 64
__device__ unsigned long long total;
__device__ void add(unsigned long long* where, double value) {
    unsigned long long old = *where, assumed;
    do {
        assumed = old;
        old = atomicCAS(where, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
}
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ unsigned long long local;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    add(&local, in[threadIdx.x]);
    add(&total, in[threadIdx.x]);
}
