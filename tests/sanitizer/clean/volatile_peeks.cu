// Progress is looked at in passing, by threads that have waited for something else; and a rough bound is read late.
// launch: 4 32
__device__ volatile int go, progress[4], bound;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x) return;
    int b = blockIdx.x, rounds = 0;
    if (b == 0) go = 1;
    while (go == 0) {}
    for (int i = 0; i < 20; ++i) {
        progress[b] = i;
        int far = 0;
        for (int other = 0; other < 4; ++other) far = max(far, progress[other]);
        if (far > bound) bound = far;
        rounds += in[i] > 0;
    }
    out[b] = rounds;
}
