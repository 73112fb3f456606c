// data_race: the flag is raised before the data are written
// launch: 2 32
__device__ volatile int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
#ifdef FIXED
        tmp[0] = in[0];
        __threadfence();
        flag = 1;
#else
        flag = 1;
        __threadfence();
        tmp[0] = in[0];  // found
#endif
    } else {
        while (!flag) {}
        __threadfence();
        out[0] = tmp[0];  // found
    }
}
