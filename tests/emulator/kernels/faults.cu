// Kernels that go wrong when their arguments say so; the faulty line of each ends in a mark.

extern "C" __global__ void copy(const float* source, float* target, int n, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = source[i + shift];  // <- copy read
        target[i] = v;  // <- copy write
    }
}

extern "C" __global__ void scatter(int* target, const int* where) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    target[where[i]] = i;  // <- scatter
}

extern "C" __global__ void count(int* bins, const int* which) {
    atomicAdd(bins + which[threadIdx.x], 1);  // <- count
}

extern "C" __global__ void column(const double* matrix, double* out, int rows, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int r = 0; r <= rows; ++r)
        sum += matrix[r * columns + c];  // <- column
    out[c] = sum;
}

extern "C" __global__ void wide_load(const float* x, float* y, int offset) {
    float4 v = *(const float4*)(x + offset + 4 * threadIdx.x);  // <- wide_load
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void odd_address(char* bytes, int at) {
    *(int*)(bytes + at) = 7;  // <- odd_address
}

extern "C" __global__ void through_null(float* p) {
    p[threadIdx.x] = 1;  // <- through_null
}

extern "C" __global__ void two_tiles(float* out, int at) {
    __shared__ float first[32];
    __shared__ float second[32];
    int i = threadIdx.x;
    first[i] = i;
    second[i] = -i;
    __syncthreads();
    first[i + at] = 5;  // <- two_tiles
    __syncthreads();
    out[i] = first[i] + second[i];
}

extern "C" __global__ void dynamic_tile(int* out, int at) {
    extern __shared__ int tile[];
    tile[threadIdx.x + at] = threadIdx.x;  // <- dynamic_tile
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void local_array(const int* where, int* out) {
    int mine[8];
    for (int k = 0; k < 8; ++k) mine[k] = k;
    mine[where[threadIdx.x]] = 100;  // <- local_array
    int sum = 0;
    for (int k = 0; k < 8; ++k) sum += mine[where[k] & 7];
    out[threadIdx.x] = sum;
}

__constant__ int table[4] = {1, 2, 3, 4};
extern "C" __global__ void constant_table(const int* which, int* out) {
    out[threadIdx.x] = table[which[threadIdx.x]];  // <- constant_table
}

__device__ __noinline__ int pick(const int* data, int at) {
    return data[at];  // <- pick
}
extern "C" __global__ void in_a_function(const int* data, int* out, int at) {
    out[threadIdx.x] = pick(data, threadIdx.x * at);
}

extern "C" __global__ void spins(volatile int* flag) {
    if (threadIdx.x == 3)
        while (*flag == 0) { }  // <- spins
}

extern "C" __global__ void counts_to(volatile int* at, int n) {
#pragma unroll 1
    for (int i = 0; i < n; i++) *at = i;
}

extern "C" __global__ void other_barriers(int* out) {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");  // <- other_barriers
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void checks(const int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(x[i] < n && "value in range");  // <- checks
}

extern "C" __global__ void stops(const int* x) {
    if (x[threadIdx.x] == 3) __trap();  // <- stops
}

extern "C" __global__ void much_shared(int* out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void lonely_shuffle(int* out) {
    int i = threadIdx.x, v = i;
    if (i < 16)
        v = __shfl_sync(~0u, i, 3);  // <- lonely_shuffle
    else
        __syncthreads();
    out[i] = v;
}

__device__ __noinline__ int forever(int n) {
    volatile int mine[4];
    mine[n & 3] = n;
    return forever(n + 1) + mine[n & 3] + 1;  // <- endless_recursion
}
extern "C" __global__ void endless_recursion(int* out) { out[threadIdx.x] = forever(threadIdx.x); }

extern "C" __global__ void divides(const int* a, const int* b, int* out) {
    int i = threadIdx.x;
    out[i] = a[i] / b[i];
    out[i + blockDim.x] = a[i] % b[i];
}
