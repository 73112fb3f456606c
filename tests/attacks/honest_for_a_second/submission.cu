// expect: wrong_answer
// problem: map
// needs: gpu
// timed: N=1000000 N=16777216
// row: 4
//
// Does the work for a second after its first launch, by the GPU's own clock, and then nothing: sizes are checked first
// and timed afterwards. A timed output is checked as any other, however late it comes.

__device__ unsigned long long first;

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    unsigned long long begun = atomicCAS(&first, 0ull, now);
    bool late = begun != 0 && now > begun + 1000000000ull;
    if (i < N && !late) output[i] = 1.0f / (1.0f + expf(-input[i]));
}
