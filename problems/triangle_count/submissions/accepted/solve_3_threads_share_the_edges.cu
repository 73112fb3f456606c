// expect: accepted
//
// Triangle count, step 3: threads share the edges, not the vertices.
//
// Added to step 2: eight lanes take an edge, whoever its vertices are, so that a vertex with a thousand neighbours is
// shared by thousands of threads. A binary search in the offsets finds the edge's first vertex, once for 256 edges of a
// block; each edge goes on from there. The lanes look up the shorter list's numbers in the longer list. Sums of the
// block go to memory by one atomic.

#include <cuda_runtime.h>

#define BLOCK 256
#define LANES 8
#define EDGES 256

__device__ __forceinline__ bool has(const int* __restrict__ list, int length, int wanted) {
    int low = 0;
    while (length > 0) {
        const int half = length / 2;
        const int middle = __ldg(&list[low + half]);
        if (middle == wanted) {
            return true;
        }
        low = middle < wanted ? low + half + 1 : low;
        length = middle < wanted ? length - half - 1 : half;
    }
    return false;
}

// The last vertex up to `high` whose edges begin at `edge` or before it.
__device__ int vertex_of(const int* __restrict__ offsets, int low, int high, int edge) {
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (offsets[middle] <= edge) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

__global__ void __launch_bounds__(BLOCK) count_triangles(const int* __restrict__ offsets,
                                                         const int* __restrict__ neighbours, long long* count, int V) {
    __shared__ int ends[2];
    __shared__ unsigned warp_sums[BLOCK / 32];
    const int edges = offsets[V];
    const int first = blockIdx.x * EDGES;
    if (first >= edges) {
        return;
    }
    // The first vertices of the block's first and last edge.
    if (threadIdx.x < 2) {
        ends[threadIdx.x] = vertex_of(offsets, 0, V - 1, min(first + (int)threadIdx.x * (EDGES - 1), edges - 1));
    }
    __syncthreads();

    const int lane = threadIdx.x % LANES;
    unsigned found = 0;
    for (int k = first + threadIdx.x / LANES; k < min(first + EDGES, edges); k += BLOCK / LANES) {
        const int u = vertex_of(offsets, ends[0], ends[1], k);
        const int v = neighbours[k];
        const int* longer = neighbours + k + 1;
        int long_length = offsets[u + 1] - k - 1;
        const int* shorter = neighbours + offsets[v];
        int short_length = offsets[v + 1] - offsets[v];
        if (short_length > long_length) {
            const int* list = longer;
            longer = shorter;
            shorter = list;
            const int length = long_length;
            long_length = short_length;
            short_length = length;
        }
        for (int i = lane; i < short_length; i += LANES) {
            found += has(longer, long_length, shorter[i]);
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        found += __shfl_down_sync(0xffffffffu, found, distance);
    }
    if (threadIdx.x % 32 == 0) {
        warp_sums[threadIdx.x / 32] = found;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long sum = 0;
        for (int w = 0; w < BLOCK / 32; w++) {
            sum += warp_sums[w];
        }
        if (sum > 0) {
            atomicAdd(reinterpret_cast<unsigned long long*>(count), sum);
        }
    }
}

extern "C" void solve(const int* offsets, const int* neighbours, long long* count, int V, int DEGREE) {
    cudaMemset(count, 0, sizeof(long long));
    // As many edges as there is room for; blocks without an edge return at once.
    count_triangles<<<(V * DEGREE + EDGES - 1) / EDGES, BLOCK>>>(offsets, neighbours, count, V);
}
