// data_race: a relaxed load takes nothing over
// launch: 2 32
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ int dummy;
    if (threadIdx.x != 0) return;
    int* flag = (int*)&tmp[100];
    if (blockIdx.x == 0) {
        tmp[0] = in[5];  // found
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen = 0;
        for (int r = 0; r < 1000000 && seen != 1; r++) {
#ifdef FIXED
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
#else
            asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
#endif
        }
        out[0] = tmp[0];  // found
    }
}
