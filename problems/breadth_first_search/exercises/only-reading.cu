#include <cuda_runtime.h>

__global__ void start(int* distance, int V) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < V) {
        distance[v] = v == 0 ? 0 : -1;
    }
}

__global__ void follow(const int* offsets, const int* neighbours, int* distance, int V, int level, int* found) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < V && distance[v] == level) {
        for (int k = offsets[v]; k < offsets[v + 1]; k++) {
            if (atomicCAS(&distance[neighbours[k]], -1, level + 1) == -1) {
                *found = 1;
            }
        }
    }
}

extern "C" void solve(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    int blocks = (V + 255) / 256;
    int* found;
    cudaMalloc(&found, sizeof(int));
    start<<<blocks, 256>>>(distance, V);
    int more = 1;
    for (int level = 0; more; level++) {
        cudaMemset(found, 0, sizeof(int));
        follow<<<blocks, 256>>>(offsets, neighbours, distance, V, level, found);
        cudaMemcpy(&more, found, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaFree(found);
}
