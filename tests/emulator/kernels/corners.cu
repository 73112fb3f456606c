// Rarer shapes of ordinary code: parameters by value, cache hints, fences, labels in inline PTX, clocks, big blocks.

struct Settings { float scale; int shift[5]; unsigned char mode; };
struct Point { double x; float y; short z; bool on; };

extern "C" __global__ void by_value(Settings s, Point p, const int* x, float* out, char letter, bool flag) {
    int i = threadIdx.x;
    float v = x[i] * s.scale + s.shift[x[i] % 5];
    if (flag && p.on) v += p.x + p.y * p.z;
    out[i] = v + s.mode + letter;
}

extern "C" __global__ __launch_bounds__(1024) void whole_block(const int* __restrict__ x, int* __restrict__ y) {
    __shared__ int s[1024];
    int i = threadIdx.x;
    s[i] = __ldg(x + i);
    __syncthreads();
    y[i] = s[1023 - i] - s[(i * 7) & 1023];
}

extern "C" __global__ void cache_hints(const float4* x, float4* y, const int* z, int* w) {
    int i = threadIdx.x;
    float4 a = __ldcs(x + i), b = __ldcg(x + (i ^ 1));
    __stcs(y + i, make_float4(a.x + b.w, a.y, b.z, a.w));
    __stwt(w + i, __ldlu(z + i) + __ldcv(z + i) + __ldca(z + (i ^ 2)));
}

extern "C" __global__ void inline_labels(const int* x, int* out) {
    int i = threadIdx.x, steps;
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 ".reg .u32 left;\n"
                 "mov.u32 left, %1;\n"
                 "mov.u32 %0, 0;\n"
                 "again:\n"
                 "setp.eq.u32 p, left, 0;\n"
                 "@p bra done;\n"
                 "shr.u32 left, left, 1;\n"
                 "add.u32 %0, %0, 1;\n"
                 "@!p bra again;\n"
                 "done:\n"
                 "}" : "=r"(steps) : "r"(x[i]));
    int twice;
    asm("{ .reg .pred p; setp.gt.s32 p, %1, 5; selp.s32 %0, %1, %2, p; @p add.s32 %0, %0, %0; }" : "=r"(twice) : "r"(steps), "r"(x[i]));
    out[i] = steps * 1000 + twice;
}

extern "C" __global__ void clocks(int* out) {
    long long start = clock64();
    __nanosleep(10);
    out[threadIdx.x] = clock64() >= start;
}

// Ordered accesses and fences by name: a flag handed from one half of the block to the other.
extern "C" __global__ void acquire_release(const int* x, int* data, int* flag, int* out) {
    int i = threadIdx.x;
    if (i < 32) {
        data[i] = x[i] + 1;
        __syncwarp();
        __threadfence();
        if (i == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen = 0;
        while (!seen) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        out[i - 32] = ((volatile int*)data)[63 - i];
    }
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(flag + 1) : "memory");
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 2;" : "=r"(i) : "l"(flag + 2) : "memory");
}

extern "C" __global__ void leaves_from_a_loop(const int* x, int* out, int n) {
    int i = threadIdx.x;
    for (int k = 0; k < n; ++k) {
        if (x[i] == k) return;
        if (x[i] == k + 50) asm volatile("exit;");
        out[i] += k;
        __syncwarp(__activemask());
    }
    out[i] = -1;
}

extern "C" __global__ void shuffle_after_exit(const int* x, int* out) {
    int i = threadIdx.x;
    if (i >= 20) return;
    int v = __shfl_xor_sync(0xfffff, x[i], 1);
    unsigned all = __ballot_sync(~0u, v > 50);
    out[i] = v + 1000 * __popc(all);
}

struct Node { int value; Node* next; };
extern "C" __global__ void linked_list(const int* x, int* out, int n) {
    __shared__ Node nodes[64];
    int i = threadIdx.x;
    nodes[i].value = x[i];
    nodes[i].next = i + 1 < n ? &nodes[(i * 5 + 3) % n] : nullptr;
    __syncthreads();
    int sum = 0, steps = 0;
    for (Node* at = nodes + i; at && steps < 40; at = at->next, ++steps) sum += at->value;
    out[i] = sum * 64 + steps;
}

extern "C" __global__ void copies_structs(const Point* in, Point* out) {
    Point p = in[threadIdx.x];
    unsigned char bytes[sizeof(Point)];
    memcpy(bytes, &p, sizeof p);
    bytes[0] ^= threadIdx.x;
    memcpy(&p, bytes, sizeof p);
    memset(&p.z, 0, sizeof p.z);
    p.on = !p.on;
    out[threadIdx.x] = p;
}

extern "C" __global__ void prints_everything(const double* d, const int* x) {
    if (threadIdx.x) return;
    for (int i = 0; i < 5; ++i) printf("[%f] [%e] [%g] [%10.3f] [%-8.1f]\n", d[i], d[i], d[i], d[i], d[i]);
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [%u] [%x] [%#X] [%o]\n", x[0], x[0], x[0], x[0], x[0], x[0], x[0], x[0], x[0]);
    printf("[%ld] [%lld] [%lu] [%llx] [%c] [%s] [%%] [%10s] [%.2s]\n", -5l, 1ll << 40, 7ul, 255ull, 'q', "text", "right", "cut");
    printf("");
    printf("%s", "no newline");
}
