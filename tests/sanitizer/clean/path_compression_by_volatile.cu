// A union-find: volatile loads and stores, and a swap that joins two trees.
// launch: 1 128 fill, 2 64
__device__ int parent[128];
extern "C" __global__ void fill(float* out, const float* in, int n) { parent[threadIdx.x] = threadIdx.x; }
#define GET(v) (*(volatile int*)&parent[v])
__device__ int root(int v) {
    for (int up = GET(v); up != v; up = GET(v)) {
        int further = GET(up);
        if (further != up) GET(v) = further;
        v = up;
    }
    return v;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
    int v = blockIdx.x * 64 + threadIdx.x;
    for (int edge = 0; edge < 3; ++edge) {
        int a = root(v), b = root((v * 3 + edge * 11) % 128);
        while (a != b) {
            int high = max(a, b), low = min(a, b);
            int old = atomicCAS(&parent[high], high, low);
            if (old == high) break;
            a = root(old);
            b = root(low);
        }
    }
}
