// expect: wrong_answer wrong_value
//
// Breadth-first search where unreachable vertices are at distance 0.
//
// The student began with zeros and took 0 for "not seen", which vertex 0 is then as well.

__global__ void bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = 0;
    }
    __syncthreads();
    bool found = true;
    for (int level = 0; found; level++) {
        bool own = false;
        for (int v = threadIdx.x; v < V; v += blockDim.x) {
            if (atomicAdd(&distance[v], 0) == level) {
                for (int k = offsets[v]; k < offsets[v + 1]; k++) {
                    if (atomicCAS(&distance[neighbours[k]], 0, level + 1) == 0) {
                        own = true;
                    }
                }
            }
        }
        found = __syncthreads_or(own);
    }
}
