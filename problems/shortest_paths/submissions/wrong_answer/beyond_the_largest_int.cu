// expect: wrong_answer wrong_value
//
// Shortest paths that go on from vertices that have not been reached.
//
// INT_MAX and a weight give a negative number, which is less than any distance.

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
