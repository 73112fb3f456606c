// Data and flag travel in one 16-byte word, as in the low-latency protocol of NCCL: each lane polls its own.
// launch: 2 32
__device__ uint4 line[32];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(&line[t]), "r"(t), "r"(1), "r"(2 * t), "r"(1) : "memory");
    } else {
        unsigned int a, f, b, g;
        do
            asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(f), "=r"(b), "=r"(g) : "l"(&line[t]) : "memory");
        while (f != 1 || g != 1);
        out[t] = a + b;
    }
}
