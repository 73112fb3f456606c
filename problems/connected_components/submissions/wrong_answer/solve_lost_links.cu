// expect: wrong_answer wrong_value
//
// Connected components that give a root its new parent, whoever did so before.
//
// Two edges that join the same root to different trees: the first link is overwritten.

#include <cuda_runtime.h>

#define BLOCK 256

__global__ void start(int* label, int V) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < V) {
        label[v] = v;
    }
}

__device__ __forceinline__ int root_of(volatile int* parent, int v) {
    int up = parent[v];
    while (up != v) {
        const int above = parent[up];
        if (above != up) {
            parent[v] = above;
        }
        v = up;
        up = above;
    }
    return v;
}

__global__ void __launch_bounds__(BLOCK)
    join(const int* __restrict__ a, const int* __restrict__ b, int* parent, int E) {
    const int e = blockIdx.x * BLOCK + threadIdx.x;
    if (e >= E) {
        return;
    }
    int left = root_of(parent, a[e]);
    int right = root_of(parent, b[e]);
    while (left != right) {
        const int higher = max(left, right);
        const int lower = min(left, right);
        const int before = higher;
        atomicExch(&parent[higher], lower);
        if (before == higher) {
            break;
        }
        left = root_of(parent, before);
        right = root_of(parent, lower);
    }
}

__global__ void look_up(int* parent, int V) {
    const int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < V) {
        const int root = root_of(parent, v);
        *(volatile int*)&parent[v] = root;
    }
}

extern "C" void solve(const int* a, const int* b, int* label, int V, int E) {
    start<<<(V + BLOCK - 1) / BLOCK, BLOCK>>>(label, V);
    join<<<(E + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, label, E);
    look_up<<<(V + BLOCK - 1) / BLOCK, BLOCK>>>(label, V);
}
