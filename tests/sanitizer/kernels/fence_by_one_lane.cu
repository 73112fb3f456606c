// data_race: all lanes write, one of them fences without having met the others, and raises the flag
// launch: 2 32
__device__ int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];  // found
#ifdef FIXED
        __syncwarp();
#endif
        if (t == 0) {
            __threadfence();
            atomicExch(&flag, 1);
        }
    } else {
        if (t == 0)
            while (atomicAdd(&flag, 0) == 0) {}
        __syncwarp();
        __threadfence();
        out[t] = tmp[t];  // found
    }
}
