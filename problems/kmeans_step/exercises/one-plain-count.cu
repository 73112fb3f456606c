#define BLOCK 512
#define MOST 256

__global__ void kmeans_kernel(const int* __restrict__ points, const int* __restrict__ centres,
                              int* __restrict__ labels, int* __restrict__ sums, int* __restrict__ counts, int N,
                              int K) {
    __shared__ int2 shared[MOST];
    __shared__ int block_sums[2 * MOST];
    __shared__ int block_counts[MOST];
    for (int k = threadIdx.x; k < K; k += BLOCK) {
        shared[k] = reinterpret_cast<const int2*>(centres)[k];
        block_sums[2 * k] = 0;
        block_sums[2 * k + 1] = 0;
        block_counts[k] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
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
        atomicAdd(&block_sums[2 * nearest], p.x);
        atomicAdd(&block_sums[2 * nearest + 1], p.y);
        block_counts[nearest]++;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < K; k += BLOCK) {
        if (block_counts[k] > 0) {
            atomicAdd(&sums[2 * k], block_sums[2 * k]);
            atomicAdd(&sums[2 * k + 1], block_sums[2 * k + 1]);
            atomicAdd(&counts[k], block_counts[k]);
        }
    }
}
