// expect: runtime_error out_of_bounds
//
// Breadth-first search whose kernel writes to a variable of the host.
//
// A kernel can't reach the host's stack. The flag has to lie in the GPU's memory and be copied.

#include <cuda_runtime.h>

__global__ void follow(const int* offsets, const int* neighbours, int* distance, int V, int level, int* found) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < V && atomicAdd(&distance[v], 0) == level) {
        for (int k = offsets[v]; k < offsets[v + 1]; k++) {
            if (atomicCAS(&distance[neighbours[k]], -1, level + 1) == -1) {
                *found = 1;
            }
        }
    }
}

extern "C" void solve(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    int found = 1;
    cudaMemset(distance, 0xff, V * sizeof(int));
    cudaMemset(distance, 0, sizeof(int));
    for (int level = 0; found; level++) {
        found = 0;
        follow<<<(V + 255) / 256, 256>>>(offsets, neighbours, distance, V, level, &found);
        cudaDeviceSynchronize();
    }
}
