// expect: compile_error
//
// Triangle count with an atomicAdd to a long long.
//
// CUDA has one for unsigned long long. In two's complement it does the same.

__global__ void triangle_kernel(const int* offsets, const int* neighbours, long long* count, int V, int DEGREE) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= V) {
        return;
    }
    unsigned long long found = 0;
    for (int k = offsets[u]; k < offsets[u + 1]; k++) {
        int v = neighbours[k];
        // What they share lies above v, so behind it in the list of u.
        int a = k + 1;
        int b = offsets[v];
        while (a < offsets[u + 1] && b < offsets[v + 1]) {
            int left = neighbours[a];
            int right = neighbours[b];
            found += left == right;
            a += left <= right;
            b += right <= left;
        }
    }
    if (found > 0) {
        atomicAdd(count, (long long)found);  // <- here
    }
}
