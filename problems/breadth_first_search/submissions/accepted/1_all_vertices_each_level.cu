// expect: accepted
//
// Breadth-first search, step 1: one block, and each level looks at all vertices.
//
// A thread takes every BLOCK-th vertex and follows its edges if it is at the level's distance. atomicCAS gives a
// vertex its distance if it has none; the barrier at the end of a level tells all threads whether anybody found
// something.

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
        found = __syncthreads_or(own);
    }
}
