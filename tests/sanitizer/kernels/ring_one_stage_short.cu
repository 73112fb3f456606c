// data_race: the ring of cp.async has one stage too few
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    const int stages = 4;
#else
    const int stages = 3;
#endif
    __shared__ __align__(16) float s[stages][64];
    int t = threadIdx.x;
    unsigned base = (unsigned)__cvta_generic_to_shared(&s[0][0]);
    for (int r = 0; r < 3; r++) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(base + (r * 64 + t) * 4), "l"(in + r * 64 + t) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int r = 0; r < 8; r++) {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        out[r * 64 + t] = s[r % stages][63 - t];  // found
        if (r + 3 < 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(base + ((r + 3) % stages * 64 + t) * 4), "l"(in + (r + 3) * 64 + t) : "memory");  // found
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
}
