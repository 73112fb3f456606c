// Triangle count: triples u < v < w of vertices with an edge between each two.
//
// Vertex u has the neighbours above it neighbours[offsets[u]] to neighbours[offsets[u + 1] - 1], in rising order. The
// kernel gets a warp for each vertex, in blocks of BLOCK threads. You may change the number: any constant expression up
// to 1024.
#include <cuda_runtime.h>

#define BLOCK 256

__global__ void triangle_kernel(const int* offsets, const int* neighbours, long long* count, int V, int DEGREE) {
    // The first V threads take a vertex each; the others have nothing to do.
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u < V) {
        unsigned long long found = 0;
        // Your turn: for each neighbour v of u, count the numbers that the lists of u and of v have in common.
        atomicAdd(reinterpret_cast<unsigned long long*>(count), found);
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* offsets, const int* neighbours, long long* count, int V, int DEGREE) {
    cudaMemset(count, 0, sizeof(long long));
    int blocks = (32 * V + BLOCK - 1) / BLOCK;
    triangle_kernel<<<blocks, BLOCK>>>(offsets, neighbours, count, V, DEGREE);
}
