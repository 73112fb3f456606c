// expect: wrong_answer unwritten_output
//
// Connected components that start with the ends of the edges.
//
// A vertex without edges has a label too.

#define BLOCK 1024

__global__ void components_kernel(const int* a, const int* b, int* label, int V, int E) {
    for (int e = threadIdx.x; e < E; e += BLOCK) {
        atomicExch(&label[a[e]], a[e]);
        atomicExch(&label[b[e]], b[e]);
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
