// Every atomic operation on global and on shared memory, with and without its old value used.

extern "C" __global__ void integer_atomics(const int* x, int* global, int* out) {
    __shared__ int shared[12];
    int i = threadIdx.x, v = x[blockIdx.x * blockDim.x + i];
    if (i < 12) shared[i] = i == 4 || i == 6 ? -1 : 0;
    __syncthreads();
    int* targets[2] = {global, shared};
    for (int k = 0; k < 2; ++k) {
        int* t = targets[k];
        atomicAdd(t, v);
        atomicSub(t + 1, v);
        atomicMin(t + 2, v);
        atomicMax(t + 3, v);
        atomicAnd(t + 4, v);
        atomicOr(t + 5, v);
        atomicXor(t + 6, v);
        atomicInc((unsigned*)t + 7, 10);
        atomicDec((unsigned*)t + 8, 6);
        atomicMin((unsigned*)t + 9, (unsigned)v);
        atomicMax((unsigned*)t + 10, (unsigned)v);
        atomicCAS(t + 11, 0, 77);
    }
    __syncthreads();
    if (i < 12) atomicAdd(out + i, shared[i]);
}

// The old values are a permutation: each slot is claimed once.
extern "C" __global__ void tickets(int* next, int* claimed) {
    __shared__ unsigned local_next;
    if (threadIdx.x == 0) local_next = 0;
    __syncthreads();
    int ticket = atomicAdd(next, 1);
    unsigned local = atomicInc(&local_next, blockDim.x - 1);
    atomicAdd(claimed + ticket, 1);
    atomicAdd(claimed + gridDim.x * blockDim.x + blockIdx.x * blockDim.x + local, 1);
}

extern "C" __global__ void wide_atomics(const unsigned long long* x, unsigned long long* t) {
    __shared__ unsigned long long s[4];
    int i = threadIdx.x;
    if (i < 4) s[i] = 0;
    __syncthreads();
    unsigned long long v = x[blockIdx.x * blockDim.x + i];
    atomicAdd(t, v);
    atomicMin(t + 1, v);
    atomicMax(t + 2, v);
    atomicMax((long long*)t + 3, (long long)v);
    atomicXor(t + 4, v);
    atomicAnd(t + 5, v);
    atomicOr(t + 6, v);
    atomicAdd(s, v);
    atomicMax(s + 1, v);
    unsigned long long old = s[2], seen;
    do {
        seen = old;
        old = atomicCAS(s + 2, seen, seen * 3 + 1);
    } while (old != seen);
    atomicExch(s + 3, 77ull);
    __syncthreads();
    if (i < 4) atomicXor(t + 7 + i, s[i]);
}

// Sums of small integers: exact in every order.
extern "C" __global__ void float_atomics(const int* x, float* f, double* d) {
    __shared__ float sf;
    __shared__ double sd;
    int i = threadIdx.x, v = x[blockIdx.x * blockDim.x + i];
    if (i == 0) { sf = 0; sd = 0; }
    __syncthreads();
    atomicAdd(f, (float)v);
    atomicAdd(d, (double)v);
    atomicAdd(&sf, (float)v);
    atomicAdd(&sd, v * 0.25);
    atomicExch(f + 2, 4.f);
    __syncthreads();
    if (i == 0) { atomicAdd(f + 1, sf); atomicAdd(d + 1, sd); }
}

// The usual maximum of floats by compare-and-swap on their bits.
extern "C" __global__ void float_max(const float* x, float* best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* bits = (int*)best;
    int old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_int(fmaxf(x[i], __int_as_float(seen))));
    } while (old != seen);
}

extern "C" __global__ void histogram(const unsigned char* x, int* bins, int n) {
    __shared__ int mine[64];
    for (int k = threadIdx.x; k < 64; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(mine + x[k] % 64, 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 64; k += blockDim.x)
        if (mine[k]) atomicAdd(bins + k, mine[k]);
}

#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void half_atomics(__half* h, __half2* h2, __nv_bfloat16* b, unsigned short* word) {
    atomicAdd(h, __float2half(1.f));
    atomicAdd(h2, __floats2half2_rn(1.f, 2.f));
    atomicAdd(b, __float2bfloat16(1.f));
    unsigned short old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, (unsigned short)(seen + 3));
    } while (old != seen);
}
