// expect: accepted
//
// Shortest paths, step 1: one block, and each round relaxes all edges.
//
// atomicMin lowers a distance and says what it was. INT_MAX stands for "not reached yet": such a vertex must not be
// gone on from, as INT_MAX and a weight are more than an int holds.

#define BLOCK 1024

__global__ void shortest_paths_kernel(const int* offsets, const int* neighbours, const int* weights, int* distance,
                                      int V, int DEGREE) {
    for (int v = threadIdx.x; v < V; v += BLOCK) {
        distance[v] = v == 0 ? 0 : INT_MAX;
    }
    __syncthreads();
    bool more = true;
    while (more) {
        bool changed = false;
        for (int v = threadIdx.x; v < V; v += BLOCK) {
            int own = atomicAdd(&distance[v], 0);
            if (own == INT_MAX) {
                continue;
            }
            for (int k = offsets[v]; k < offsets[v + 1]; k++) {
                int way = own + weights[k];
                changed |= atomicMin(&distance[neighbours[k]], way) > way;
            }
        }
        more = __syncthreads_or(changed);
    }
    for (int v = threadIdx.x; v < V; v += BLOCK) {
        if (distance[v] == INT_MAX) {
            distance[v] = -1;
        }
    }
}
