// expect: accepted
//
// Triangle count, step 2: a warp for each vertex, and binary searches.
//
// Added to step 1: each lane takes one number of the list of v and looks it up in that of u, which the warp keeps in
// the L1 cache. The lanes read v's list in one piece. One atomic for a warp.

__device__ bool has(const int* list, int length, int wanted) {
    int low = 0;
    while (length > 0) {
        int half = length / 2;
        if (list[low + half] < wanted) {
            low += half + 1;
            length -= half + 1;
        } else if (list[low + half] > wanted) {
            length = half;
        } else {
            return true;
        }
    }
    return false;
}

__global__ void triangle_kernel(const int* offsets, const int* neighbours, long long* count, int V, int DEGREE) {
    int u = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (u >= V) {
        return;
    }
    int end = offsets[u + 1];
    unsigned found = 0;
    for (int k = offsets[u]; k < end; k++) {
        int v = neighbours[k];
        for (int b = offsets[v] + lane; b < offsets[v + 1]; b += 32) {
            found += has(neighbours + k + 1, end - k - 1, neighbours[b]);
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        found += __shfl_down_sync(0xffffffffu, found, distance);
    }
    if (lane == 0 && found > 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(count), (unsigned long long)found);
    }
}
