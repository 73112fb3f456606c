// expect: wrong_answer wrong_value
//
// Hash table that takes key -1 for an empty slot.
//
// -1 is a key like any other.

#include <cuda_runtime.h>

#define BLOCK 256

typedef unsigned long long Slot;

constexpr Slot EMPTY = ~0ull;

__device__ __forceinline__ unsigned first_slot(int key, unsigned shift) { return (unsigned)key * 2654435769u >> shift; }

__global__ void insert(const int* __restrict__ keys, Slot* table, unsigned shift, unsigned last, int N) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= N) {
        return;
    }
    const int key = keys[i];
    const Slot own = (Slot)(unsigned)key << 32 | (unsigned)i;
    for (unsigned s = first_slot(key, shift);; s = (s + 1) & last) {
        const Slot there = atomicCAS(&table[s], EMPTY, own);
        if (there == EMPTY) {
            return;
        }
        if ((int)(there >> 32) == key) {
            if (there > own) {
                atomicMin(&table[s], own);
            }
            return;
        }
    }
}

__device__ __forceinline__ int resume(const Slot* __restrict__ table, int query, unsigned s, Slot there,
                                      unsigned last) {
    while ((int)(there >> 32) != -1 && (int)(there >> 32) != query) {
        s = (s + 1) & last;
        there = __ldg(&table[s]);
    }
    return (int)(there >> 32) == -1 ? -1 : (int)(unsigned)there;
}

__global__ void __launch_bounds__(BLOCK)
    look_up(const int* __restrict__ queries, const Slot* __restrict__ table, int* __restrict__ places, unsigned shift,
            unsigned last, int Q) {
    const int q = (blockIdx.x * BLOCK + threadIdx.x) * 4;
    if (q + 3 < Q) {
        const int4 four = *reinterpret_cast<const int4*>(queries + q);
        const unsigned x = first_slot(four.x, shift);
        const unsigned y = first_slot(four.y, shift);
        const unsigned z = first_slot(four.z, shift);
        const unsigned w = first_slot(four.w, shift);
        const Slot at_x = __ldg(&table[x]);
        const Slot at_y = __ldg(&table[y]);
        const Slot at_z = __ldg(&table[z]);
        const Slot at_w = __ldg(&table[w]);
        *reinterpret_cast<int4*>(places + q) =
            make_int4(resume(table, four.x, x, at_x, last), resume(table, four.y, y, at_y, last),
                      resume(table, four.z, z, at_z, last), resume(table, four.w, w, at_w, last));
        return;
    }
    for (int k = q; k < Q; k++) {
        const unsigned s = first_slot(queries[k], shift);
        places[k] = resume(table, queries[k], s, __ldg(&table[s]), last);
    }
}

extern "C" void solve(const int* keys, const int* queries, int* places, int N, int Q) {
    unsigned slots = 2;
    unsigned shift = 31;
    while (slots < 2 * (unsigned)N) {
        slots *= 2;
        shift--;
    }
    Slot* table;
    cudaMalloc(&table, slots * sizeof(Slot));
    cudaMemset(table, 0xff, slots * sizeof(Slot));
    insert<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(keys, table, shift, slots - 1, N);
    look_up<<<(Q + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK>>>(queries, table, places, shift, slots - 1, Q);
    cudaFree(table);
}
