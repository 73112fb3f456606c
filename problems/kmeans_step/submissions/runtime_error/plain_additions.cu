// expect: runtime_error data_race
//
// K-means that counts without atomics.
//
// Threads of the same centre overwrite each other's counts.

__global__ void kmeans_kernel(const int* points, const int* centres, int* labels, int* sums, int* counts, int N,
                              int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        int x = points[2 * i];
        int y = points[2 * i + 1];
        int nearest = 0;
        int least = INT_MAX;
        for (int k = 0; k < K; k++) {
            int dx = x - centres[2 * k];
            int dy = y - centres[2 * k + 1];
            int distance = dx * dx + dy * dy;
            if (distance < least) {
                least = distance;
                nearest = k;
            }
        }
        labels[i] = nearest;
        atomicAdd(&sums[2 * nearest], x);
        atomicAdd(&sums[2 * nearest + 1], y);
        counts[nearest] += 1;  // <- here
    }
}
