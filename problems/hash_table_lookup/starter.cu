// Hash table: places[q] is the lowest i with keys[i] = queries[q], or -1.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#define BLOCK 1024

constexpr int SLOTS = 1 << 21;

// The place of a key, or -1.
__device__ int slots[SLOTS];

__device__ unsigned first_slot(int key) { return (unsigned)key * 2654435769u >> 11; }

__global__ void hash_table_kernel(const int* keys, const int* queries, int* places, int N, int Q) {
    for (int s = threadIdx.x; s < SLOTS; s += BLOCK) {
        slots[s] = -1;
    }
    __syncthreads();

    // Your turn: insert each i from 0 to N - 1, beginning at slot first_slot(keys[i]).
    __syncthreads();

    // Then look up the queries.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch several kernels with many blocks instead.
extern "C" void solve(const int* keys, const int* queries, int* places, int N, int Q) {
    hash_table_kernel<<<1, BLOCK>>>(keys, queries, places, N, Q);
}
