// expect: accepted
//
// Monte Carlo, step 3: four points a load, one atomic a block.
//
// Added to step 2: int4 keeps four times as many bytes on their way, and the warps of a block meet in shared
// memory. The last one to three points go to the first threads of the grid.

#define BLOCK 512

__device__ __forceinline__ int hit(int x, int y) {
    return x * x + y * y < 32768 * 32768;
}

__global__ void monte_carlo_kernel(const int* __restrict__ x, const int* __restrict__ y, int* inside, int N) {
    __shared__ int total;
    if (threadIdx.x == 0) {
        total = 0;
    }
    __syncthreads();
    const int4* x4 = reinterpret_cast<const int4*>(x);
    const int4* y4 = reinterpret_cast<const int4*>(y);
    int thread = blockIdx.x * BLOCK + threadIdx.x;
    int stride = gridDim.x * BLOCK;
    int hits = 0;
    for (int i = thread; i < N / 4; i += stride) {
        int4 a = x4[i];
        int4 b = y4[i];
        hits += hit(a.x, b.x) + hit(a.y, b.y) + hit(a.z, b.z) + hit(a.w, b.w);
    }
    for (int i = N / 4 * 4 + thread; i < N; i += stride) {
        hits += hit(x[i], y[i]);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        hits += __shfl_down_sync(0xffffffff, hits, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&total, hits);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(inside, total);
    }
}
