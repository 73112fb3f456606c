// One lane of each warp arrives at a barrier object for its warp, after the warp has met; one waits for the warp too.
// launch: 2 128
#include <cuda/barrier>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t == 0) init(&bar, 4);
    __syncthreads();
    s[t] = in[t];
    __syncwarp();
    if (t % 32 == 0) bar.arrive_and_wait();
    __syncwarp();
    out[blockIdx.x * 128 + t] = s[127 - t];
}
