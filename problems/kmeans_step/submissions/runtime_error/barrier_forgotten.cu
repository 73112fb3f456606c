// expect: runtime_error data_race
//
// K-means that reads centres which are not there yet.
//
// The barrier behind the copy is missing.

#define MOST 256

__global__ void kmeans_kernel(const int* points, const int* centres, int* labels, int* sums, int* counts, int N,
                              int K) {
    __shared__ int2 shared[MOST];
    for (int k = threadIdx.x; k < K; k += blockDim.x) {
        shared[k] = reinterpret_cast<const int2*>(centres)[k];
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        int2 p = reinterpret_cast<const int2*>(points)[i];
        int nearest = 0;
        int least = INT_MAX;
        for (int k = 0; k < K; k++) {
            int dx = p.x - shared[k].x;
            int dy = p.y - shared[k].y;
            int distance = dx * dx + dy * dy;
            if (distance < least) {
                least = distance;
                nearest = k;
            }
        }
        labels[i] = nearest;
        atomicAdd(&sums[2 * nearest], p.x);
        atomicAdd(&sums[2 * nearest + 1], p.y);
        atomicAdd(&counts[nearest], 1);
    }
}
