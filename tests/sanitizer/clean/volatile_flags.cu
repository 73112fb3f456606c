// All look at a volatile flag, anybody may raise it: in shared and in global memory, lanes of one warp included.
// launch: 2 64
__device__ volatile int found;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ volatile int here;
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < 1024 && !here; i += 64)
        if (in[i] == 300) here = 1;
    for (int i = threadIdx.x; i < 1024 && !found; i += 64)
        if (in[i] == 100) found = 1;
}
