// expect: runtime_error data_race
//
// Shortest paths that compare and then store.
//
// Between the two, another thread may have stored a lower distance.

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
                if (way < distance[neighbours[k]]) {
                    distance[neighbours[k]] = way;
                    changed = true;
                }
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
