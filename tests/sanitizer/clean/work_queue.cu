// Blocks take work from a counter; what they write depends on what they got.
// launch: 4 64
__device__ int next;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ int item;
    while (true) {
        if (threadIdx.x == 0) item = atomicAdd(&next, 1);
        __syncthreads();
        if (item >= 10) return;
        tmp[item * 64 + threadIdx.x] = in[item * 64 + threadIdx.x];
        __syncthreads();
    }
}
