// expect: compile_error
//
// Breadth-first search with a variable that nobody declared.
//
// The student forgot the type in the loop.

__global__ void bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = v == 0 ? 0 : -1;
    }
    __syncthreads();
    bool found = true;
    for (level = 0; found; level++) {  // <- here
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
        found = __syncthreads_or(own);
    }
}
