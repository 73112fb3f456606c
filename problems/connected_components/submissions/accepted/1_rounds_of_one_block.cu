// expect: accepted
//
// Connected components, step 1: labels go along the edges, round by round.
//
// atomicMin gives an end of an edge the lower label, and tells whether it is news. A label goes at least one edge
// further in each round, so a chain of thirty vertices may take thirty.

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
                changed |= atomicMin(&label[b[e]], left) > left;
            } else if (right < left) {
                changed |= atomicMin(&label[a[e]], right) > right;
            }
        }
        more = __syncthreads_or(changed);
    }
}
