// Threads beyond the end go around all barriers, write what they have to, and leave.
// launch: 1 100
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[100];
    int t = threadIdx.x, end = n - 954;
    float sum = 0;
    if (t < end) {
        for (int round = 0; round < n / 128; ++round) {
            s[t] = in[t] + round;
            __syncthreads();
            sum += s[end - 1 - t];
            __syncthreads();
        }
    } else {
        out[t] = 0;
        return;
    }
    if (t < end) out[t] = sum;
}
