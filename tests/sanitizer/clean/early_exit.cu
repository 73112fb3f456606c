// Threads beyond the end leave before the barrier.
// launch: 1 100
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[100];
    int t = threadIdx.x;
    if (t >= 70) return;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[69 - t];
}
