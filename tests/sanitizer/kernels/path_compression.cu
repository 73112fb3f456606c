// data_race: paths of a union-find are shortened by plain stores while others follow them
// launch: 1 128 fill, 2 64
__device__ int parent[128];
extern "C" __global__ void fill(float* out, const float* in, int n) { parent[threadIdx.x] = threadIdx.x; }
#ifdef FIXED
#define GET(v) atomicAdd(&parent[v], 0)
#define SET(v, to) atomicExch(&parent[v], to)
#else
#define GET(v) parent[v]
#define SET(v, to) parent[v] = to
#endif
__device__ int root(int v) {
    for (int up = GET(v); up != v; up = GET(v)) {  // found
        int further = GET(up);                     // found
        if (further != up) SET(v, further);        // found
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
            int old = atomicCAS(&parent[high], high, low);  // found
            if (old == high) break;
            a = root(old);
            b = root(low);
        }
    }
}
