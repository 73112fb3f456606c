// data_race: a mailbox with an answer: the fence is behind the flag, where it orders nothing
// launch: 2 32
__device__ volatile int sent, taken;
__device__ volatile float box;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x) return;
    for (int i = 1; i <= 8; ++i)
        if (blockIdx.x == 0) {
            while (taken < i - 1) {}
            box = in[i];  // found
#ifdef FIXED
            __threadfence();
#endif
            sent = i;
            __threadfence();
        } else {
            while (sent < i) {}
            out[i] = box;  // found
            __threadfence();
            taken = i;
        }
}
