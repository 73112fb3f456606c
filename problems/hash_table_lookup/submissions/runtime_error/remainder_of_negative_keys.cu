// expect: runtime_error out_of_bounds
//
// Hash table whose look-up masks the key, while its insertion takes key % slots.
//
// The remainder of a negative number is negative in C++.

#include <cuda_runtime.h>

#define BLOCK 256

__global__ void insert(const int* keys, int* table, int slots, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= N) {
        return;
    }
    int s = keys[i] % slots;
    while (true) {
        int there = atomicCAS(&table[s], -1, i);  // <- here
        if (there == -1) {
            return;
        }
        if (keys[there] == keys[i]) {
            atomicMin(&table[s], i);
            return;
        }
        s = (s + 1) & (slots - 1);
    }
}

__global__ void look_up(const int* keys, const int* queries, const int* table, int* places, int slots, int Q) {
    int q = blockIdx.x * BLOCK + threadIdx.x;
    if (q >= Q) {
        return;
    }
    int s = queries[q] & (slots - 1);
    int there = table[s];
    while (there != -1 && keys[there] != queries[q]) {
        s = (s + 1) & (slots - 1);
        there = table[s];
    }
    places[q] = there;
}

extern "C" void solve(const int* keys, const int* queries, int* places, int N, int Q) {
    int slots = 2;
    while (slots < 2 * N) {
        slots *= 2;
    }
    int* table;
    cudaMalloc(&table, slots * sizeof(int));
    cudaMemset(table, 0xff, slots * sizeof(int));
    insert<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(keys, table, slots, N);
    look_up<<<(Q + BLOCK - 1) / BLOCK, BLOCK>>>(keys, queries, table, places, slots, Q);
    cudaFree(table);
}
