// expect: runtime_error out_of_bounds
//
// Triangle count with room for 64 neighbours in shared memory.
//
// Most vertices have fewer. One has a thousand.

#define BLOCK 32

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
    __shared__ int list[64];
    for (int k = offsets[u] + lane; k < end; k += 32) {
        list[k - offsets[u]] = neighbours[k];  // <- here
    }
    __syncwarp();
    for (int k = offsets[u]; k < end; k++) {
        int v = neighbours[k];
        for (int b = offsets[v] + lane; b < offsets[v + 1]; b += 32) {
            found += has(list + k + 1 - offsets[u], end - k - 1, neighbours[b]);
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        found += __shfl_down_sync(0xffffffffu, found, distance);
    }
    if (lane == 0 && found > 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(count), (unsigned long long)found);
    }
}
