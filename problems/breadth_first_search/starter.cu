// Breadth-first search: distance[v] is the number of steps from vertex 0 to vertex v, -1 where there is no way.
//
// The edges of vertex v lead to neighbours[offsets[v]] to neighbours[offsets[v + 1] - 1]. The kernel gets one block of
// BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 1024

__global__ void bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = v == 0 ? 0 : -1;
    }
    __syncthreads();

    // Your turn: for each level, let the threads follow the edges of the vertices at this distance. The search is over
    // when a level finds nothing new; __syncthreads_or(found) tells every thread whether any thread found something.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch a kernel for each level instead.
extern "C" void solve(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    bfs_kernel<<<1, BLOCK>>>(offsets, neighbours, distance, V, DEGREE);
}
