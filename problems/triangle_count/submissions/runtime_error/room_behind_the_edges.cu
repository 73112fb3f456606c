// expect: runtime_error out_of_bounds
//
// Triangle count that goes through all of the room for neighbours.
//
// Behind the last edge it holds -1, and there is no vertex -1.

#define BLOCK 256

__global__ void triangle_kernel(const int* offsets, const int* neighbours, long long* count, int V, int DEGREE) {
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < V * DEGREE; k += gridDim.x * blockDim.x) {
        int v = neighbours[k];
        int u = 0;
        while (u < V - 1 && offsets[u + 1] <= k) {
            u++;
        }
        unsigned long long found = 0;
        for (int b = offsets[v]; b < offsets[v + 1]; b++) {  // <- here
            for (int a = k + 1; a < offsets[u + 1]; a++) {
                found += neighbours[a] == neighbours[b];
            }
        }
        atomicAdd(reinterpret_cast<unsigned long long*>(count), found);
    }
}
