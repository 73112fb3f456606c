// expect: wrong_answer wrong_value
//
// Triangle count that goes on in both lists at every step.
//
// Only the list with the smaller number may go on: the other one may still have a partner.

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
            a++;
            b++;
        }
    }
    if (found > 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(count), found);
    }
}
