// expect: wrong_answer wrong_value
//
// Hash table that answers 0 for keys that are not there.
//
// 0 is a place.

#define BLOCK 1024
#define MOST (1 << 21)

// The place of a key, or -1.
__device__ int slots[MOST];

__global__ void hash_table_kernel(const int* keys, const int* queries, int* places, int N, int Q) {
    unsigned last = 1;
    while (last < 2 * (unsigned)N) {
        last *= 2;
    }
    // All bits of a slot's number.
    last -= 1;
    for (unsigned s = threadIdx.x; s <= last; s += BLOCK) {
        slots[s] = -1;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        unsigned s = ((unsigned)keys[i] * 2654435769u >> 11) & last;
        while (true) {
            int there = atomicCAS(&slots[s], -1, i);
            if (there == -1) {
                break;
            }
            if (keys[there] == keys[i]) {
                atomicMin(&slots[s], i);
                break;
            }
            s = (s + 1) & last;
        }
    }
    __syncthreads();
    for (int q = threadIdx.x; q < Q; q += BLOCK) {
        unsigned s = ((unsigned)queries[q] * 2654435769u >> 11) & last;
        while (slots[s] != -1 && keys[slots[s]] != queries[q]) {
            s = (s + 1) & last;
        }
        places[q] = max(slots[s], 0);
    }
}
