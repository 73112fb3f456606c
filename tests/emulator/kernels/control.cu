// Control flow whose path depends on the thread: loops, early returns, switches, nested breaks.

extern "C" __global__ void collatz(const int* start, int* steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = start[i];
    int count = 0;
    while (value > 1 && count < 200) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        ++count;
    }
    steps[i] = count;
}

// Dense cases become a jump table (brx.idx); cases 3 and 6 fall through.
extern "C" __global__ void dense_switch(const int* choice, const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = x[i];
    switch (choice[i]) {
        case 0: v += y[(i + 1) % blockDim.x]; break;
        case 1: v = v * 7 - i; break;
        case 2: v ^= 0x5a5a; break;
        case 3: v -= 11;
        case 4: v = v / 3; break;
        case 5: for (int k = 0; k < (i & 7); ++k) v += k * v; break;
        case 6: v = ~v;
        case 7: v = v << (i & 3); break;
        case 9: v = -v; break;
        default: v = 12345; break;
    }
    __syncthreads();
    y[i] = v;
}

extern "C" __global__ void nested_breaks(const int* limit, int* out) {
    int i = threadIdx.x;
    int total = 0;
    for (int a = 0; a < 12; ++a) {
        if (a % 3 == i % 3) continue;
        for (int b = 0; ; ++b) {
            if (b > limit[i] || (a * b) % 17 == i) break;
            if ((b ^ i) & 1) continue;
            total += a * b;
            if (total > 500) goto done;
        }
        total ^= a;
    }
done:
    out[i] = total;
}

extern "C" __global__ void insertion_sort(const short* data, short* sorted, int per_thread) {
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
    for (int k = 0; k < per_thread; ++k) {
        short value = data[base + k];
        int at = k;
        while (at > 0 && sorted[base + at - 1] > value) {
            sorted[base + at] = sorted[base + at - 1];
            --at;
        }
        sorted[base + at] = value;
    }
}

extern "C" __global__ void special_registers(int* out) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int at = (block * blockDim.x * blockDim.y * blockDim.z + thread) * 8;
    unsigned lane, below, warp, warps;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    out[at] = threadIdx.x * 1000000 + threadIdx.y * 1000 + threadIdx.z;
    out[at + 1] = blockIdx.x * 1000000 + blockIdx.y * 1000 + blockIdx.z;
    out[at + 2] = blockDim.x * 1000000 + blockDim.y * 1000 + blockDim.z;
    out[at + 3] = gridDim.x * 1000000 + gridDim.y * 1000 + gridDim.z;
    out[at + 4] = lane;
    out[at + 5] = below;
    out[at + 6] = warpSize;
    out[at + 7] = warp < warps;
}
