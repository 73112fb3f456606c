// expect: runtime_error out_of_bounds
//
// Triangle count with one vertex too many.
//
// The list of vertex V would end at offsets[V + 1].

__global__ void triangle_kernel(const int* offsets, const int* neighbours, long long* count, int V, int DEGREE) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u > V) {
        return;
    }
    unsigned long long found = 0;
    for (int k = offsets[u]; k < offsets[u + 1]; k++) {  // <- here
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
        atomicAdd(reinterpret_cast<unsigned long long*>(count), found);
    }
}
