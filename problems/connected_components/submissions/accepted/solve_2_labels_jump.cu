// expect: accepted
//
// Connected components, step 2: labels jump, on the whole GPU.
//
// Added to step 1: an edge gives the lower label to the vertex that the higher label names, too, and in each round
// every vertex takes the label of its label. The way to the lowest vertex is halved each time, so that a handful of
// rounds do. A launch for each round; a flag that the host copies says whether there was news.

#include <cuda_runtime.h>

#define BLOCK 256

__global__ void start(int* label, int V) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < V) {
        label[v] = v;
    }
}

__global__ void spread(const int* a, const int* b, int* label, int* news, int E) {
    int e = blockIdx.x * BLOCK + threadIdx.x;
    if (e < E) {
        int left = atomicAdd(&label[a[e]], 0);
        int right = atomicAdd(&label[b[e]], 0);
        if (left != right) {
            int lower = min(left, right);
            atomicMin(&label[left < right ? b[e] : a[e]], lower);
            atomicMin(&label[max(left, right)], lower);
            *news = 1;
        }
    }
}

__global__ void jump(int* label, int V) {
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < V) {
        atomicMin(&label[v], atomicAdd(&label[atomicAdd(&label[v], 0)], 0));
    }
}

extern "C" void solve(const int* a, const int* b, int* label, int V, int E) {
    int* news;
    cudaMalloc(&news, sizeof(int));
    start<<<(V + BLOCK - 1) / BLOCK, BLOCK>>>(label, V);
    int more = 1;
    while (more) {
        cudaMemset(news, 0, sizeof(int));
        spread<<<(E + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, label, news, E);
        jump<<<(V + BLOCK - 1) / BLOCK, BLOCK>>>(label, V);
        cudaMemcpy(&more, news, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaFree(news);
}
