// All threads come to the same barriers, whatever else they do between them, and however often.
// launch: 1 64
__device__ __noinline__ float turned(float* s, int t, bool turns) {
    if (!turns) return s[t];
    __syncthreads();
    float other = s[63 - t];
    __syncthreads();
    return other;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    float sum = 0;
    s[t] = in[t];
    for (int row = 0; row < n / 128; ++row) {
        for (int i = 0; i < t; ++i) {
            if (in[i] > 40) break;
            sum += in[i];
        }
        if (row % 3 == 1) continue;
        for (int step = 0; step < row; ++step) {
            if (t % 2) s[t] += step;
            __syncthreads();
        }
        switch (row) {
            case 2: sum += turned(s, t, n > 7); break;
            case 3: __syncthreads(); break;
            case 5: if (n < 7) __syncthreads(); break;
            default: sum += turned(s, t, false);
        }
    }
    out[t] = sum + s[t];
}
