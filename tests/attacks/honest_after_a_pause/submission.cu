// expect: wrong_answer wrong_value
// problem: map
// needs: gpu
// timed: N=1000000
// row: 4
//
// Tells a timed launch by the one before it, which was less than 50 µs ago, and leaves it out: launches that are checked
// one by one are further apart. But outputs that are checked are those of the timed launches themselves.

__device__ volatile unsigned long long last;
__device__ unsigned blocks;

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    // A clock that does not count nanoseconds since 1970 is that of an emulator, which times nothing.
    bool timed = now >> 50 != 0 && now < last + 50000;
    if (i < N && !timed) output[i] = 1.0f / (1.0f + expf(-input[i]));
    __syncthreads();
    // By then every block has read the end of the launch before.
    if (threadIdx.x == 0 && atomicInc(&blocks, gridDim.x - 1) == gridDim.x - 1) last = now;
}
