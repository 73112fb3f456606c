// data_race: each vertex takes the most of its neighbours, which change meanwhile
// launch: 2 64
__device__ short label[128], next[128];
extern "C" __global__ void k(float* out, const float* in, int n) {
    for (int v = blockIdx.x * 32 + threadIdx.x / 2; v < 128; v += gridDim.x * 32) {
        if (threadIdx.x % 2) continue;
        short most = v;
        for (int edge = 0; edge < 4; ++edge) most = max(most, label[(v * 5 + edge * 7 + 1) % 128]);  // found
#ifdef FIXED
        next[v] = most;
#else
        label[v] = most;  // found
#endif
    }
}
