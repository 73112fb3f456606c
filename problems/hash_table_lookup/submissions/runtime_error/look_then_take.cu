// expect: runtime_error data_race
//
// Hash table that looks whether a slot is empty and then takes it.
//
// Between the two, another thread may do the same.

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
            int there = slots[s];
            if (there == -1) {
                slots[s] = i;
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
        places[q] = slots[s];
    }
}
