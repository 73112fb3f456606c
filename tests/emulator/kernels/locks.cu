// Locks that all threads of a grid take in turn.

__device__ unsigned int next_ticket, now_serving;
__device__ int lock;

__device__ void add_one(volatile int* out) {
    __threadfence();
    *out = *out + 1;
    __threadfence();
}

extern "C" __global__ void by_tickets(int* out) {
    unsigned int mine = atomicAdd(&next_ticket, 1u);
    bool done = false;
    while (!done) {
        if (atomicAdd(&now_serving, 0u) == mine) {
            add_one(out);
            atomicAdd(&now_serving, 1u);
            done = true;
        }
    }
}

extern "C" __global__ void by_swaps(int* out) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            add_one(out);
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void freed_by_a_store(int* out) {
    bool done = false;
    while (!done) {
        if (atomicExch(&lock, 1) == 0) {
            add_one(out);
            *(volatile int*)&lock = 0;
            done = true;
        }
    }
}

extern "C" __global__ void never_freed(int* out) {
    while (atomicCAS(&lock, 0, 1) != 0) { }
    add_one(out);
}
