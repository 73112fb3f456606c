// Edit distance: how many letters are to be replaced, inserted or deleted to turn text a into text b, for each pair.
//
// The kernel gets one block of BLOCK threads for each pair. You may change the number: any constant expression up to
// 1024.
#define BLOCK 256

__global__ void edit_distance_kernel(const unsigned char* a, const unsigned char* b, int* distance, int PAIRS, int N,
                                     int M) {
    a += (size_t)blockIdx.x * N;
    b += (size_t)blockIdx.x * M;

    // Your turn: D[i][j] is the distance of the first i letters of a to the first j letters of b.
    int last = 0;

    if (threadIdx.x == 0) {
        distance[blockIdx.x] = last;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const unsigned char* a, const unsigned char* b, int* distance, int PAIRS, int N, int M) {
    edit_distance_kernel<<<PAIRS, BLOCK>>>(a, b, distance, PAIRS, N, M);
}
