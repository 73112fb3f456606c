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

extern "C" __global__ void looked_at_first(int* out) {
    bool done = false;
    while (!done) {
        if (*(volatile int*)&lock == 0 && atomicCAS(&lock, 0, 1) == 0) {
            add_one(out);
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void by_volatile_tickets(int* out) {
    unsigned int mine = atomicAdd(&next_ticket, 1u);
    while (*(volatile unsigned int*)&now_serving != mine) { }
    add_one(out);
    *(volatile unsigned int*)&now_serving = mine + 1;
}

extern "C" __global__ void by_no_lock(int* out) {
    int old = *(volatile int*)out, seen;
    do {
        seen = old;
        old = atomicCAS(out, seen, seen + 1);
    } while (old != seen);
}

extern "C" __global__ void never_freed(int* out) {
    while (atomicCAS(&lock, 0, 1) != 0) { }
    add_one(out);
}

// Each block waits for the one before.
extern "C" __global__ void by_turns(int* out) {
    __shared__ unsigned int turn;
    if (threadIdx.x == 0) {
        turn = atomicAdd(&next_ticket, 1u);
        while (*(volatile unsigned int*)&now_serving != turn) { }
        __threadfence();
        *out += blockDim.x;
        __threadfence();
        *(volatile unsigned int*)&now_serving = turn + 1;
    }
    __syncthreads();
}
