// expect: wrong_answer wrong_value
//
// Breadth-first search that follows all vertices that have a distance.
//
// A vertex found in this level is followed in the same level by whoever comes to it later; its neighbours are then
// one step too far away, or too near.

__global__ void bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int E) {
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = v == 0 ? 0 : -1;
    }
    __syncthreads();
    bool found = true;
    for (int level = 0; found; level++) {
        bool own = false;
        for (int v = threadIdx.x; v < V; v += blockDim.x) {
            if (atomicAdd(&distance[v], 0) >= 0) {
                for (int k = offsets[v]; k < offsets[v + 1]; k++) {
                    if (atomicCAS(&distance[neighbours[k]], -1, level + 1) == -1) {
                        own = true;
                    }
                }
            }
        }
        found = __syncthreads_or(own);
    }
}
