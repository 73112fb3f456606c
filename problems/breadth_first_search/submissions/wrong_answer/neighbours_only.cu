// expect: wrong_answer unwritten_output
//
// Breadth-first search of one level that writes only what it reaches.
//
// The student tried a star. Vertices that no edge leads to never come up, and keep what was there before.

__global__ void bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    if (threadIdx.x == 0) {
        distance[0] = 0;
        for (int k = offsets[0]; k < offsets[1]; k++) {
            if (neighbours[k] != 0) {
                distance[neighbours[k]] = 1;
            }
        }
    }
}
