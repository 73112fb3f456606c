// data_race: each warp waits for the one before it, but one of them goes on at once
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) s[lane] = in[lane];  // found
    for (int w = 0; w < 3; ++w) {
#ifndef FIXED
        if (w == 1) continue;
#endif
        if (warp == w || warp == w + 1) asm volatile("bar.sync %0, 64;" ::"r"(w + 1) : "memory");
    }
    if (warp == 3) out[lane] = s[31 - lane];  // found
}
