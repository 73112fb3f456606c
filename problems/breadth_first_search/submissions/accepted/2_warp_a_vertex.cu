// expect: accepted
//
// Breadth-first search, step 2: a warp follows the edges of a vertex.
//
// Added to step 1: the lanes look at 32 vertices, and __ballot_sync says which of them are at the level's distance.
// Then all lanes follow the edges of one of these after the other: a vertex with a thousand edges does not keep 31
// lanes waiting, and a warp's reads of the edges are one piece of memory.

__global__ void bfs_kernel(const int* __restrict__ offsets, const int* __restrict__ neighbours, int* distance, int V,
                           int DEGREE) {
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int warps = blockDim.x / 32;
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        distance[v] = v == 0 ? 0 : -1;
    }
    __syncthreads();
    bool found = true;
    for (int level = 0; found; level++) {
        bool own = false;
        for (int first = 32 * warp; first < V; first += 32 * warps) {
            bool here = first + lane < V && atomicAdd(&distance[first + lane], 0) == level;
            for (unsigned left = __ballot_sync(0xffffffff, here); left; left &= left - 1) {
                int v = first + __ffs(left) - 1;
                for (int k = offsets[v] + lane; k < offsets[v + 1]; k += 32) {
                    if (atomicCAS(&distance[neighbours[k]], -1, level + 1) == -1) {
                        own = true;
                    }
                }
            }
        }
        found = __syncthreads_or(own);
    }
}
