// expect: runtime_error barrier_divergence
//
// Breadth-first search whose threads leave when they themselves find nothing.
//
// The others come to the barrier of a round that those no longer take part in, which is undefined. GPUs count threads
// that have ended as arrived and go on; then nobody looks at the vertices of those that left.

__global__ void bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = v == 0 ? 0 : -1;
    }
    __syncthreads();
    bool found = true;
    for (int level = 0; found; level++) {
        bool own = false;
        for (int v = threadIdx.x; v < V; v += blockDim.x) {
            if (atomicAdd(&distance[v], 0) == level) {
                for (int k = offsets[v]; k < offsets[v + 1]; k++) {
                    if (atomicCAS(&distance[neighbours[k]], -1, level + 1) == -1) {
                        own = true;
                    }
                }
            }
        }
        __syncthreads();
        found = own;
    }
}
