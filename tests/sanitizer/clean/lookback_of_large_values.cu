// Decoupled look-back whose values lie apart from their status, as CUB keeps large ones: fences on both sides.
// launch: 20 32
__device__ volatile int status[64];
__device__ double4 parts[64], whole[64];
__device__ double4 add(double4 a, double4 b) { return make_double4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
extern "C" __global__ void k(float* out, const float* in, int n) {
    int b = blockIdx.x;
    if (threadIdx.x) return;
    double4 v = make_double4(in[b], 1, 2, 3), before = make_double4(0, 0, 0, 0);
    parts[b] = v;
    __threadfence();
    status[b] = 1;
    for (int p = b - 1; p >= 0; --p) {
        int s;
        while ((s = status[p]) == 0) {}
        __threadfence();
        before = add(s == 2 ? whole[p] : parts[p], before);
        if (s == 2) break;
    }
    whole[b] = add(before, v);
    __threadfence();
    status[b] = 2;
    out[b] = (float)before.x;
}
