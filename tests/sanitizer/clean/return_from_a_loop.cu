// Threads that have nothing left to do return from the loop: GPUs count them as arrived.
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t >= half) return;
        s[t] += s[t + half];
        __syncthreads();
    }
    out[t] = s[t];
}
