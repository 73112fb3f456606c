// One warp fills, the others use: named barriers with arrival apart from waiting.
// launch: 2 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[96];
    int t = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < 4; ++round) {
        if (t >= 96) {
            for (int j = t - 96; j < 96; j += 32) s[j] = in[round * 96 + j];
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += s[95 - t];
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
    if (t < 96) out[blockIdx.x * 96 + t] = sum;
}
