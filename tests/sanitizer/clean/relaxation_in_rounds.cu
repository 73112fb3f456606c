// Distances are lowered by volatile reads and writes until nothing changes: what gets lost is found again.
// launch: 1 64
__device__ volatile int distance[64];
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int changed;
    int t = threadIdx.x;
    distance[t] = t == 0 ? 0 : 1000;
    do {
        __syncthreads();
        if (t == 0) changed = 0;
        __syncthreads();
        bool lower = false;
        for (int to : {(t + 1) % 64, (t + 7) % 64}) {
            int through = distance[t] + 1 + t % 3;
            if (through < distance[to]) {
                distance[to] = through;
                lower = true;
            }
        }
        if (lower) atomicOr(&changed, 1);
        __syncthreads();
    } while (changed);
    out[t] = distance[t];
}
