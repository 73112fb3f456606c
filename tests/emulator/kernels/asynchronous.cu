// Copies that go on beside their threads, and barriers that are objects in shared memory: one thing each.
#include <cuda_pipeline.h>
#include <cuda/barrier>

typedef unsigned long long u64;

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")
#define WAIT_ALL asm volatile("cp.async.wait_all;" ::: "memory")

// Each thread copies 16 bytes of its own row of 32 words by other sizes and spellings, and brings them back.
extern "C" __global__ void forms(const int* in, int* out) {
    __shared__ __align__(16) int s[32][32];
    int t = threadIdx.x;
    for (int j = 0; j < 32; ++j) s[t][j] = -1;
    const int* from = in + 32 * t;
    u64 policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&s[t][0])), "l"(from));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at(&s[t][2])), "l"(from + 2));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(&s[t][4])), "l"(from + 4));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(at(&s[t][8])), "l"(from + 8), "r"(t));
    asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 8, 4;" ::"r"(at(&s[t][12])), "l"(from + 12));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
                 ::"r"(at(&s[t][16])), "l"(from + 16), "l"(policy));
    asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], 4, %2, %3;"
                 ::"r"(at(&s[t][20])), "l"(from + 20), "r"(t % 5), "l"(policy));
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 16, p;}"
                 ::"r"(at(&s[t][24])), "l"(from + 24), "r"(t % 2));
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], 4;}"
                 ::"r"(at(&s[t][28])), "l"(from + 28), "r"(t % 3));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, 0;" ::"r"(at(&s[t][28])), "l"((const int*)nullptr));
    WAIT_ALL;
    for (int j = 0; j < 32; ++j) out[32 * t + j] = s[t][j];
}

// What is in the target after each step: 0 is what was there, the others are groups.
extern "C" __global__ void groups(const int* in, int* out) {
    __shared__ int s[4];
    for (int j = 0; j < 4; ++j) s[j] = 0;
    int step = 0;
    auto look = [&] {
        for (int j = 0; j < 4; ++j) out[4 * step + j] = ((volatile int*)s)[j];
        ++step;
    };
    for (int j = 0; j < 3; ++j) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(s + j)), "l"(in + j));
        COMMIT;
    }
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(s + 3)), "l"(in + 3));
    look();
    WAIT(2);
    look();
    COMMIT;
    WAIT(2);
    look();
    WAIT(0);
    look();
}

// The lanes of a warp close their groups at times of their own.
extern "C" __global__ void groups_of_lanes(const int* in, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(s + t)), "l"(in + t));
    if (t % 2) COMMIT;
    COMMIT;
    WAIT(1);
    out[t] = ((volatile int*)s)[t];
}

// More than the emulator keeps of a warp.
extern "C" __global__ void many(const int* in, int* out, int n) {
    extern __shared__ int tile[];
    int t = threadIdx.x;
    for (int j = t; j < n; j += 32) __pipeline_memcpy_async(tile + j, in + j, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int j = t; j < n; j += 32) out[j] = tile[n - 1 - j];
}

extern "C" __global__ void reaches(const float* a, int source, int target, int bytes) {
    __shared__ __align__(16) float tile[64];
    int t = threadIdx.x;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 ::"r"(at(tile + target + 4 * t)), "l"(a + source + 4 * t), "r"(bytes));  // <- reaches
    WAIT_ALL;
}

// States and phases of one barrier object, used by one thread.
extern "C" __global__ void phases(unsigned* out) {
    __shared__ u64 bar, other;
    u64 state;
    unsigned value;
    int step = 0;
#define PENDING asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(value) : "l"(state)); out[step++] = value
#define TEST(form, operand) \
    asm volatile("{.reg .pred p; mbarrier." form ".shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" \
                 : "=r"(value) : "r"(at(&bar)), operand : "memory"); \
    out[step++] = value
    asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(at(&bar)) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");
    PENDING;
    TEST("test_wait", "l"(state));
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(at(&bar)) : "memory");
    PENDING;
    TEST("test_wait.parity", "r"(0));
    TEST("test_wait.parity", "r"(1));
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");
    PENDING;
    TEST("test_wait", "l"(state));
    TEST("try_wait.parity", "r"(0));
    TEST("try_wait.parity", "r"(1));
    asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(state) : "l"(&bar) : "memory");
    PENDING;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 48;" ::"r"(at(&bar)) : "memory");
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at(&bar)) : "memory");
    TEST("test_wait", "l"(state));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at(&bar)) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 60;" ::"r"(at(&bar)) : "memory");
    TEST("try_wait.acquire.cta", "l"(state));
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 4;" ::"r"(at(&bar)) : "memory");
    TEST("try_wait.acquire.cta", "l"(state));
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");
    PENDING;
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&other)) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at(&other)) : "memory");
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(value) : "r"(at(&other)) : "memory");
    out[step++] = value;
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&other)) : "memory");
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(value) : "r"(at(&other)) : "memory");
    out[step++] = value;
}

// Warps that hand a sum on, by phases of which all threads but those of the last warp drop out one warp at a time.
extern "C" __global__ void drops_out(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int sum;
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x == 0) init(&bar, blockDim.x), sum = 0;
    __syncthreads();
    for (int round = 0; round < warps; ++round) {
        if (round == warp) {
            if (threadIdx.x % 32 == 0) sum = 10 * sum + warp + 1;
            bar.arrive_and_drop();
            break;
        }
        bar.arrive_and_wait();
    }
    if (warp == warps - 1 && threadIdx.x % 32 == 0) *out = sum;
}

extern "C" __global__ void waits_for_ever(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
    __syncthreads();
    bar.arrive_and_wait();  // <- waits_for_ever
    *out = 1;
}

extern "C" __global__ void discards(float* a, int index) {
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(a + index) : "memory");  // <- discards
}

extern "C" __global__ void copies_a_tensor(const float* a) {
    __shared__ __align__(16) float tile[64];
    __shared__ u64 bar;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                 ::"r"(at(tile)), "l"(a), "r"(at(&bar)) : "memory");  // <- copies_a_tensor
}
