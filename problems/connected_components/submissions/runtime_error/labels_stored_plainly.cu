// expect: runtime_error data_race
//
// Connected components without atomics.
//
// Several edges lower the label of the same vertex: a higher one may be stored last.

#define BLOCK 1024

__global__ void components_kernel(const int* a, const int* b, int* label, int V, int E) {
    for (int v = threadIdx.x; v < V; v += BLOCK) {
        label[v] = v;
    }
    __syncthreads();
    // Others change labels meanwhile: each read has to go to memory.
    volatile int* now = label;
    bool more = true;
    while (more) {
        bool changed = false;
        for (int e = threadIdx.x; e < E; e += BLOCK) {
            int left = now[a[e]];
            int right = now[b[e]];
            if (left < right) {
                label[b[e]] = left;
                changed = true;
            } else if (right < left) {
                changed |= atomicMin(&label[a[e]], right) > right;
            }
        }
        more = __syncthreads_or(changed);
    }
}
