// Shortest paths: distance[v] is the least sum of weights from vertex 0 to vertex v, -1 where there is no way.
//
// The edges of vertex v have the numbers offsets[v] to offsets[v + 1] - 1. The kernel gets one block of BLOCK threads.
// You may change the number: any constant expression up to 1024.
#define BLOCK 1024

__global__ void shortest_paths_kernel(const int* offsets, const int* neighbours, const int* weights, int* distance,
                                      int V, int DEGREE) {
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = v == 0 ? 0 : INT_MAX;
    }
    __syncthreads();

    // Your turn: in each round, let the threads relax the edges of the vertices that have been reached. It is over when
    // a round changes nothing; __syncthreads_or(changed) tells every thread whether any thread changed something. At
    // the end, what has not been reached gets -1.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch a kernel for each round instead.
extern "C" void solve(const int* offsets, const int* neighbours, const int* weights, int* distance, int V, int DEGREE) {
    shortest_paths_kernel<<<1, BLOCK>>>(offsets, neighbours, weights, distance, V, DEGREE);
}
