// expect: wrong_answer wrong_value
//
// Breadth-first search in depth.
//
// The student uses a stack, as for depth-first search: a vertex gets the length of the first way that is found, not
// of the shortest.

__global__ void bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = v == 0 ? 0 : -1;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int stack[64];
        int height = 0;
        stack[height++] = 0;
        while (height > 0) {
            int v = stack[--height];
            for (int k = offsets[v]; k < offsets[v + 1]; k++) {
                int end = neighbours[k];
                if (distance[end] == -1 && height < 64) {
                    distance[end] = distance[v] + 1;
                    stack[height++] = end;
                }
            }
        }
    }
}
