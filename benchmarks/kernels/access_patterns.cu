// One kernel for each way in which a warp's lanes can lie to each other, to compare counts of accesses with.
// It has the parameters of the problem `map` and computes nothing of use; N is a power of two from 1024 on.

#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void coalesced(const float* input, float* output, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    output[i] = input[i];
}

__global__ void unaligned(const float* input, float* output, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    output[i] = input[(i + 1) & (N - 1)];
}

__global__ void read_every_eighth(const float* input, float* output, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    output[i] = input[(i * 8) & (N - 1)];
}

__global__ void write_every_eighth(const float* input, float* output, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    output[(i * 8) & (N - 1)] = input[i];
}

__global__ void broadcast(const float* input, float* output, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    output[i] = input[i / 32];
}

__global__ void wide(const float4* input, float4* output) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    output[i] = input[i];
}

// Lanes WAYS words apart meet in the same bank WAYS times.
template <int WAYS>
__global__ void shared_reads(const float* input, float* output, int N) {
    __shared__ float tile[WAYS * BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < WAYS; ++k) {
        tile[k * BLOCK + threadIdx.x] = input[(i + k) & (N - 1)];
    }
    __syncthreads();
    output[i] = tile[threadIdx.x * WAYS];
}

template <int WAYS>
__global__ void shared_writes(const float* input, float* output, int N) {
    __shared__ float tile[WAYS * BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x * WAYS] = input[i];
    __syncthreads();
    output[i] = tile[(threadIdx.x ^ 32) * WAYS];
}

__global__ void shared_float4(const float4* input, float4* output) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x ^ 32];
}

// Eight lanes go together through the banks; these are two float4 apart, so that two of them meet.
__global__ void shared_float4_apart(const float4* input, float4* output) {
    __shared__ float4 tile[2 * BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[2 * threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[2 * (threadIdx.x ^ 32)];
}

// 16 bytes from lanes that partly ask for the same ones: all of a warp, or each two neighbours.
template <int SAME>
__global__ void shared_float4_same(const float4* input, float4* output) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[(threadIdx.x ^ 32) / SAME];
}

// The number of a thread among those whose numbers do not have this bit; with its partner, who has, it shares it.
template <int BIT>
__device__ int place_of(int thread) {
    return thread / (2 * BIT) * BIT | (thread & (BIT - 1));
}

// Lanes whose numbers differ by one bit ask for the same.
template <typename Vector, int BIT>
__global__ void shared_partners_same(const Vector* input, Vector* output) {
    __shared__ Vector tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[place_of<BIT>(threadIdx.x ^ 32)];
}

// The lanes whose numbers have this bit are idle.
template <typename Vector, int BIT>
__global__ void shared_partners_idle(const Vector* input, Vector* output) {
    __shared__ Vector tile[BLOCK / 2];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if ((threadIdx.x & BIT) == 0) {
        tile[place_of<BIT>(threadIdx.x)] = input[i];
    }
    __syncthreads();
    if ((threadIdx.x & BIT) == 0) {
        output[i] = tile[place_of<BIT>(threadIdx.x ^ 32)];
    }
}

__global__ void shared_float2(const float2* input, float2* output) {
    __shared__ float2 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x ^ 32];
}

__global__ void shared_broadcast(const float* input, float* output, int N) {
    __shared__ float tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x / 32 ^ 1];
}

// The lanes of a warp leave the loop after 0 to 7 rounds.
__global__ void divergent(const float* input, float* output, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = input[i];
#pragma unroll 1
    for (int k = 0; k < (threadIdx.x & 7); ++k) {
        sum = __expf(sum) - sum * sum;
    }
    output[i] = sum;
}

extern "C" void solve(const float* input, float* output, int N) {
    const int blocks = N / BLOCK, few = blocks / 4;
    const float4* from = reinterpret_cast<const float4*>(input);
    float4* to = reinterpret_cast<float4*>(output);
    coalesced<<<blocks, BLOCK>>>(input, output, N);
    unaligned<<<blocks, BLOCK>>>(input, output, N);
    read_every_eighth<<<blocks, BLOCK>>>(input, output, N);
    write_every_eighth<<<blocks, BLOCK>>>(input, output, N);
    broadcast<<<blocks, BLOCK>>>(input, output, N);
    wide<<<few, BLOCK>>>(from, to);
    shared_reads<2><<<blocks, BLOCK>>>(input, output, N);
    shared_reads<8><<<blocks, BLOCK>>>(input, output, N);
    shared_reads<32><<<blocks, BLOCK>>>(input, output, N);
    shared_writes<2><<<blocks, BLOCK>>>(input, output, N);
    shared_writes<32><<<blocks, BLOCK>>>(input, output, N);
    shared_float4<<<few, BLOCK>>>(from, to);
    shared_float4_apart<<<few, BLOCK>>>(from, to);
    shared_float4_same<2><<<few, BLOCK>>>(from, to);
    shared_float4_same<32><<<few, BLOCK>>>(from, to);
    const float2* pairs = reinterpret_cast<const float2*>(input);
    float2* to_pairs = reinterpret_cast<float2*>(output);
    shared_float2<<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_same<float2, 1><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_same<float2, 2><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_same<float2, 4><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_same<float2, 8><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_same<float2, 16><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_same<float4, 1><<<few, BLOCK>>>(from, to);
    shared_partners_same<float4, 2><<<few, BLOCK>>>(from, to);
    shared_partners_same<float4, 4><<<few, BLOCK>>>(from, to);
    shared_partners_same<float4, 8><<<few, BLOCK>>>(from, to);
    shared_partners_same<float4, 16><<<few, BLOCK>>>(from, to);
    shared_partners_idle<float2, 1><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_idle<float2, 2><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_idle<float2, 4><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_idle<float2, 8><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_idle<float2, 16><<<blocks / 2, BLOCK>>>(pairs, to_pairs);
    shared_partners_idle<float4, 1><<<few, BLOCK>>>(from, to);
    shared_partners_idle<float4, 2><<<few, BLOCK>>>(from, to);
    shared_partners_idle<float4, 4><<<few, BLOCK>>>(from, to);
    shared_partners_idle<float4, 8><<<few, BLOCK>>>(from, to);
    shared_partners_idle<float4, 16><<<few, BLOCK>>>(from, to);
    shared_broadcast<<<blocks, BLOCK>>>(input, output, N);
    divergent<<<blocks, BLOCK>>>(input, output, N);
}
