// data_race: whether the atomic is needed is asked by a plain load, while others change what it is of
// launch: 2 64
__device__ int farthest[128];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int v = blockIdx.x * 64 + threadIdx.x;
    for (int edge = 0; edge < 4; ++edge) {
        int w = (v * 5 + edge * 7 + 1) % 128;
#ifndef FIXED
        if (farthest[w] < v)  // found
#endif
            atomicMax(&farthest[w], v);  // found
    }
}
