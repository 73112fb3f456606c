// expect: wrong_answer wrong_value
//
// Breadth-first search with ten levels.
//
// The student tried small random graphs, in which everything is near.

#include <cuda_runtime.h>

__global__ void start(int* distance, int V) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < V) {
        distance[v] = v == 0 ? 0 : -1;
    }
}

__global__ void follow(const int* offsets, const int* neighbours, int* distance, int V, int level) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < V && atomicAdd(&distance[v], 0) == level) {
        for (int k = offsets[v]; k < offsets[v + 1]; k++) {
            atomicCAS(&distance[neighbours[k]], -1, level + 1);
        }
    }
}

extern "C" void solve(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    int blocks = (V + 255) / 256;
    start<<<blocks, 256>>>(distance, V);
    for (int level = 0; level < 10; level++) {
        follow<<<blocks, 256>>>(offsets, neighbours, distance, V, level);
    }
}
