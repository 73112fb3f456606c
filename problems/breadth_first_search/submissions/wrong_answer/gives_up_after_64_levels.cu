// expect: wrong_answer wrong_value
//
// Breadth-first search with a limit to its levels.
//
// The student wanted to be sure that the loop ends, and had no graph as deep as that. It ends by itself, when a level
// finds nothing.

#define MOST_LEVELS 64

__global__ void bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = v == 0 ? 0 : -1;
    }
    __syncthreads();
    int more = 1;
    for (int level = 0; level < MOST_LEVELS && more; level++) {
        int found = 0;
        for (int v = threadIdx.x; v < V; v += blockDim.x) {
            // By an atomic operation: other threads may be changing it.
            if (atomicAdd(&distance[v], 0) != level) {
                continue;
            }
            for (int k = offsets[v]; k < offsets[v + 1]; k++) {
                if (atomicCAS(&distance[neighbours[k]], -1, level + 1) == -1) {
                    found = 1;
                }
            }
        }
        more = __syncthreads_or(found);
    }
}
