// data_race: one lane waits for the flag, and the others read without having met it
// launch: 2 32
__device__ int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];  // found
        __threadfence();
        __syncwarp();
        if (t == 0) atomicExch(&flag, 1);
    } else {
        if (t == 0) {
            while (atomicAdd(&flag, 0) == 0) {}
            __threadfence();
        }
#ifdef FIXED
        __syncwarp();
#endif
        out[t] = tmp[t];  // found
    }
}
