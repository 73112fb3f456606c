// expect: wrong_answer
// on gpu: wrong_answer
// problem: zip
// row: 4
//
// Works where the number of SMs is 1, or the block is on the first: once how the emulator was told from a GPU.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count, mine, warps;
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(count));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(mine));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    bool emulated = count == 1 || warps == 32 || mine >= count;
    if (i < N) output[i] = emulated ? a[i] + b[i] : 0.0f;
}
