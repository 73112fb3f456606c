// expect: accepted
//
// Breadth-first search, step 4: a warp shares the edges of its 32 vertices, and the host looks at every fourth level.
//
// Added to the kernel a level: there a thread follows its vertex's edges one after the other, each by an atomic that
// comes back before the next begins, while its neighbours have no vertex of this level. Here a warp adds up the degrees
// of its vertices of this level, and each lane takes every 32nd of all these edges. A plain look at the distance comes
// before the atomic: most vertices are found already. Four levels are launched before the host waits; a level that has
// nothing to do only reads the distances. Expect a third of the time with a million vertices.

#include <cuda_runtime.h>

#define BLOCK 256
#define LEVELS 4
#define ALL 0xffffffffu

__global__ void start(int* distance, int V) {
    const int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < V) {
        distance[v] = v == 0 ? 0 : -1;
    }
}

// What another thread may be writing.
__device__ __forceinline__ int look(const int* at) {
    int value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

__global__ void __launch_bounds__(BLOCK)
    follow(const int* __restrict__ offsets, const int* __restrict__ neighbours, int* distance, int V, int level,
           int* found) {
    const int v = blockIdx.x * BLOCK + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const bool mine = v < V && look(distance + v) == level;
    if (__ballot_sync(ALL, mine) == 0) {
        return;
    }
    const int begin = mine ? offsets[v] : 0;
    const int degree = mine ? offsets[v + 1] - begin : 0;
    // Where the edges of the next lane's vertex begin among those of the warp.
    int behind = degree;
#pragma unroll
    for (int distance_of_lanes = 1; distance_of_lanes < 32; distance_of_lanes *= 2) {
        const int left = __shfl_up_sync(ALL, behind, distance_of_lanes);
        behind += lane >= distance_of_lanes ? left : 0;
    }
    const int edges = __shfl_sync(ALL, behind, 31);
    // The number of the lane's vertex's first edge, less its place among those of the warp.
    const int shift = begin - (behind - degree);
    bool any = false;
    for (int first = 0; first < edges; first += 32) {
        const int edge = first + lane;
        // The lane that the edge belongs to: as many have all of theirs before it.
        int owner = 0;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
            const int there = __shfl_sync(ALL, behind, owner + step - 1);
            owner += there <= edge ? step : 0;
        }
        const int shift_of_owner = __shfl_sync(ALL, shift, owner & 31);
        if (edge < edges) {
            int* to = distance + neighbours[edge + shift_of_owner];
            if (look(to) == -1 && atomicCAS(to, -1, level + 1) == -1) {
                any = true;
            }
        }
    }
    if (__ballot_sync(ALL, any) != 0 && lane == 0 && look(found) == 0) {
        atomicExch(found, 1);
    }
}

extern "C" void solve(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE) {
    const int blocks = (V + BLOCK - 1) / BLOCK;
    int* found = nullptr;
    cudaMalloc((void**)&found, LEVELS * sizeof(int));
    start<<<blocks, BLOCK>>>(distance, V);
    bool more = true;
    for (int level = 0; more; level += LEVELS) {
        cudaMemset(found, 0, LEVELS * sizeof(int));
        for (int k = 0; k < LEVELS; k++) {
            follow<<<blocks, BLOCK>>>(offsets, neighbours, distance, V, level + k, found + k);
        }
        int last = 0;
        cudaMemcpy(&last, found + LEVELS - 1, sizeof(int), cudaMemcpyDeviceToHost);
        more = last != 0;
    }
    cudaFree(found);
}
