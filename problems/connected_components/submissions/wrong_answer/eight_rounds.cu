// expect: wrong_answer wrong_value
//
// Connected components that stop after eight rounds.
//
// Enough for random graphs. A chain takes longer.

#define BLOCK 1024

__global__ void components_kernel(const int* a, const int* b, int* label, int V, int E) {
    for (int v = threadIdx.x; v < V; v += BLOCK) {
        label[v] = v;
    }
    __syncthreads();
    // Others change labels meanwhile: each read has to go to memory.
    volatile int* now = label;
    bool more = true;
    for (int round = 0; more && round < 8; round++) {
        bool changed = false;
        for (int e = threadIdx.x; e < E; e += BLOCK) {
            int left = now[a[e]];
            int right = now[b[e]];
            if (left < right) {
                changed |= atomicMin(&label[b[e]], left) > left;
            } else if (right < left) {
                changed |= atomicMin(&label[a[e]], right) > right;
            }
        }
        more = __syncthreads_or(changed);
    }
}
