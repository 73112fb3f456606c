// Barriers in all their forms, and waiting on memory: within a warp, within a block, between blocks.

extern "C" __global__ void tree_sum(const int* x, int* out) {
    extern __shared__ int s[];
    int i = threadIdx.x;
    s[i] = x[blockIdx.x * blockDim.x + i];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (i < step) s[i] += s[i + step];
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void voting_barriers(const int* x, int* out) {
    int i = threadIdx.x, v = x[i];
    int count = __syncthreads_count(v & 1);
    int all = __syncthreads_and(v < 100);
    int any = __syncthreads_or(v == 7);
    out[i] = count * 100 + all * 10 + any;
}

// Threads that have left do not hold up the others.
extern "C" __global__ void early_exit(const int* x, int* y, int n) {
    __shared__ int s[128];
    int i = threadIdx.x;
    s[i] = 0;
    __syncthreads();
    if (i >= n) return;
    s[i] = x[i];
    __syncthreads();
    y[i] = s[n - 1 - i];
}

// Two pairs of warps, each on a named barrier of its own; then a producer that arrives and goes on.
extern "C" __global__ void named_barriers(const int* x, int* y) {
    __shared__ int s[128];
    int i = threadIdx.x, pair = i / 64;
    for (int k = 0; k < 3; ++k) {
        s[i] = k ? s[i] + k : x[i];
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        int other = s[pair * 64 + (63 - (i & 63))];
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        s[i] = other;
    }
    __syncthreads();
    if (pair == 0) {
        s[i] = s[i] * 2;
        __threadfence_block();
        asm volatile("bar.arrive 3, 128;" ::: "memory");
        y[i] = 1;
    } else {
        asm volatile("bar.sync 3, 128;" ::: "memory");
        y[i] = s[i - 64] + s[i];
    }
}

extern "C" __global__ void lock_in_warp(int* lock, int* total, const int* x) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int*)total = *(volatile int*)total + x[threadIdx.x];
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The form that starves a scheduler that always prefers the smallest address.
extern "C" __global__ void lock_spinning(int* lock, volatile int* total, const int* x) {
    while (atomicCAS(lock, 0, 1) != 0) { }
    *total = *total + x[blockIdx.x * blockDim.x + threadIdx.x];
    __threadfence();
    atomicExch(lock, 0);
}

// The first block waits for the last: all blocks of a small grid make progress.
extern "C" __global__ void waits_for_later_block(volatile int* flags, int* out) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        if (b + 1 < gridDim.x)
            while (flags[b + 1] == 0) { }
        __threadfence();
        out[b] = b + 1 < gridDim.x ? flags[b + 1] + b : 1;
        __threadfence();
        flags[b] = out[b];
    }
}

// Prefix sum in one pass: each block looks back at the aggregates of its predecessors.
extern "C" __global__ void look_back(const int* x, int* y, volatile unsigned long long* state, unsigned* ticket) {
    __shared__ int s[64];
    __shared__ unsigned tile;
    __shared__ int before;
    int i = threadIdx.x;
    if (i == 0) tile = atomicAdd(ticket, 1u);
    __syncthreads();
    int at = tile * blockDim.x + i;
    s[i] = x[at];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        int left = i >= step ? s[i - step] : 0;
        __syncthreads();
        s[i] += left;
        __syncthreads();
    }
    if (i == 0) {
        unsigned sum = s[blockDim.x - 1];
        state[tile] = (tile == 0 ? 2ull : 1ull) << 32 | sum;
        __threadfence();
        unsigned prefix = 0;
        for (int look = (int)tile - 1; look >= 0; ) {
            unsigned long long seen = state[look];
            if (seen >> 32 == 0) continue;
            prefix += (unsigned)seen;
            if (seen >> 32 == 2) break;
            --look;
        }
        state[tile] = 2ull << 32 | (prefix + sum);
        before = prefix;
    }
    __syncthreads();
    y[at] = s[i] + before;
}

// The last block to finish adds up what the others left in memory.
extern "C" __global__ void last_block(const int* x, int* parts, int* done, int* total) {
    __shared__ bool last;
    int sum = __syncthreads_count(x[blockIdx.x * blockDim.x + threadIdx.x] > 50);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += ((volatile int*)parts)[b];
        *total = all;
    }
}
