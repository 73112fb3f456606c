// K-means step: the label of the nearest centre for each of N points, and sum and number of the points of each label.
//
// sums and counts are set to zeros, and then the kernel gets one thread for each point, in blocks of BLOCK threads. You
// may change the number: any constant expression up to 1024.
#define BLOCK 256

__global__ void kmeans_kernel(const int* points, const int* centres, int* labels, int* sums, int* counts, int N,
                              int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The last block may reach beyond the points: those threads must not touch memory.
    if (i < N) {
        int x = points[2 * i];
        int y = points[2 * i + 1];
        int nearest = 0;
        // Your turn: find the nearest centre, the first of equally near ones.
        labels[i] = nearest;
        // Your turn: add x, y and 1 to the sums and the count of that centre; look up atomicAdd.
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* points, const int* centres, int* labels, int* sums, int* counts, int N, int K) {
    cudaMemset(sums, 0, 2 * K * sizeof(int));
    cudaMemset(counts, 0, K * sizeof(int));
    kmeans_kernel<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(points, centres, labels, sums, counts, N, K);
}
