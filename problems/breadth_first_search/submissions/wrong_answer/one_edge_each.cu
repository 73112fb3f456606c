// expect: wrong_answer wrong_value
//
// Breadth-first search that follows one edge of each vertex.
//
// The student tried a chain, in which no vertex has more.

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
                int k = offsets[v];
                if (k < offsets[v + 1]) {
                    if (atomicCAS(&distance[neighbours[k]], -1, level + 1) == -1) {
                        own = true;
                    }
                }
            }
        }
        found = __syncthreads_or(own);
    }
}
