// expect: accepted
//
// Shortest paths, step 3: a list of the vertices that changed, and eight lanes for each.
//
// Added to step 2: whoever lowers a distance first in a round enters the vertex in the list of the next one, so a round
// costs as much as there is to do, not a look at every vertex. Eight lanes relax the edges of a vertex: their reads of
// edges are one piece of memory, and a vertex with thousands of edges keeps no thread alone. Vertices that are nearer
// than a limit come first; the others wait in the list until nothing is left below it, which saves most of the
// relaxations in vain.

#include <cuda_runtime.h>

#define BLOCK 256
#define LANES 8
#define STEP 500

__global__ void start(int* distance, int* listed, int* list, int* lengths, int V) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < V) {
        distance[v] = v == 0 ? 0 : INT_MAX;
        listed[v] = v == 0;
    }
    if (v == 0) {
        list[0] = 0;
        lengths[0] = 1;
        lengths[1] = 0;
        lengths[2] = 0;
    }
}

// lengths: of the list, of the next one, and how many of the next one lie below the limit.
__global__ void relax(const int* __restrict__ offsets, const int* __restrict__ neighbours,
                      const int* __restrict__ weights, int* distance, int* listed, const int* __restrict__ list,
                      int* next, int* lengths, int limit) {
    const int groups = gridDim.x * (BLOCK / LANES);
    const int lane = threadIdx.x % LANES;
    const int length = lengths[0];
    for (int i = (blockIdx.x * BLOCK + threadIdx.x) / LANES; i < length; i += groups) {
        const int v = list[i];
        int own = 0;
        if (lane == 0) {
            own = atomicAdd(&distance[v], 0);
            if (own >= limit) {
                next[atomicAdd(&lengths[1], 1)] = v;
            } else {
                // From here on a lower distance enters it anew.
                atomicExch(&listed[v], 0);
                __threadfence();
                own = atomicAdd(&distance[v], 0);
            }
        }
        const unsigned mask = ((1u << LANES) - 1) << (threadIdx.x % 32 / LANES * LANES);
        own = __shfl_sync(mask, own, 0, LANES);
        if (own >= limit) {
            continue;
        }
        const int end = offsets[v + 1];
        for (int k = offsets[v] + lane; k < end; k += LANES) {
            const int to = neighbours[k];
            const int way = own + weights[k];
            if (atomicMin(&distance[to], way) > way) {
                if (atomicExch(&listed[to], 1) == 0) {
                    next[atomicAdd(&lengths[1], 1)] = to;
                }
                if (way < limit) {
                    atomicExch(&lengths[2], 1);
                }
            }
        }
    }
}

__global__ void turn(int* lengths) {
    lengths[0] = lengths[1];
    lengths[1] = 0;
    lengths[2] = 0;
}

__global__ void finish(int* distance, int V) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < V && distance[v] == INT_MAX) {
        distance[v] = -1;
    }
}

extern "C" void solve(const int* offsets, const int* neighbours, const int* weights, int* distance, int V, int DEGREE) {
    int blocks = (V + BLOCK - 1) / BLOCK;
    int* memory;
    cudaMalloc(&memory, (3 * (size_t)V + 3) * sizeof(int));
    int* listed = memory;
    int* list = memory + V;
    int* next = memory + 2 * (size_t)V;
    int* lengths = memory + 3 * (size_t)V;
    start<<<blocks, BLOCK>>>(distance, listed, list, lengths, V);
    int limit = STEP;
    // The list's length, that of the next one, and whether that has a vertex below the limit.
    int host[3] = {1, 0, 0};
    while (host[0] > 0) {
        int needed = (int)(((size_t)host[0] * LANES + BLOCK - 1) / BLOCK);
        relax<<<needed < 1024 ? needed : 1024, BLOCK>>>(offsets, neighbours, weights, distance, listed, list, next,
                                                        lengths, limit);
        cudaMemcpy(host, lengths, sizeof(host), cudaMemcpyDeviceToHost);
        limit += host[2] ? 0 : STEP;
        turn<<<1, 1>>>(lengths);
        host[0] = host[1];
        int* other = list;
        list = next;
        next = other;
    }
    finish<<<blocks, BLOCK>>>(distance, V);
    cudaFree(memory);
}
