// expect: runtime_error out_of_bounds
//
// Shortest paths with one vertex too many.
//
// There is no vertex V.

#include <cuda_runtime.h>

#define BLOCK 256

__global__ void start(int* distance, int* changed, int V) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v <= V) {
        distance[v] = v == 0 ? 0 : INT_MAX;  // <- here
        changed[v] = v == 0;
    }
}

__global__ void relax(const int* offsets, const int* neighbours, const int* weights, int* distance, int* changed,
                      int* any, int V) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v >= V || atomicExch(&changed[v], 0) == 0) {
        return;
    }
    int own = atomicAdd(&distance[v], 0);
    for (int k = offsets[v]; k < offsets[v + 1]; k++) {
        int way = own + weights[k];
        if (atomicMin(&distance[neighbours[k]], way) > way) {
            atomicExch(&changed[neighbours[k]], 1);
            *any = 1;
        }
    }
}

__global__ void finish(int* distance, int V) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < V && distance[v] == INT_MAX) {
        distance[v] = -1;
    }
}

extern "C" void solve(const int* offsets, const int* neighbours, const int* weights, int* distance, int V, int DEGREE) {
    int blocks = (V + BLOCK - 1) / BLOCK;
    int* changed;
    int* any;
    cudaMalloc(&changed, V * sizeof(int));
    cudaMalloc(&any, sizeof(int));
    start<<<blocks, BLOCK>>>(distance, changed, V);
    int more = 1;
    while (more) {
        cudaMemset(any, 0, sizeof(int));
        relax<<<blocks, BLOCK>>>(offsets, neighbours, weights, distance, changed, any, V);
        cudaMemcpy(&more, any, sizeof(int), cudaMemcpyDeviceToHost);
    }
    finish<<<blocks, BLOCK>>>(distance, V);
    cudaFree(changed);
    cudaFree(any);
}
