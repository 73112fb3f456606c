// Rounds over volatile values between barriers of the grid made of flags, with fences by the thread that sets them.
// launch: 4 64
__device__ volatile int arrived[4], left;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    volatile float* v = tmp;
    int t = threadIdx.x, b = blockIdx.x;
    v[b * 64 + t] = in[t];
    for (int round = 1; round < 5; ++round) {
        __syncthreads();
        if (t == 0) {
            __threadfence();
            arrived[b] = round;
        }
        if (b == 0) {
            if (t < 4)
                while (arrived[t] < round) {}
            __syncthreads();
            if (t == 0) {
                __threadfence();
                left = round;
            }
        }
        if (t == 0) {
            while (left < round) {}
            __threadfence();
        }
        __syncthreads();
        if (round % 2) out[b * 64 + t] = v[(b * 64 + t + 64) % 256];
        else v[b * 64 + t] = out[b * 64 + t] + 1;
    }
}
