// Every memory space, every access width, and generic pointers into each of them.

__constant__ float weights[8] = {1, -2, 3, -4, 5, -6, 7, -8};
__constant__ char word[] = "warp";
__device__ int counter = 5;
__device__ float2 pairs[4];
__device__ const int primes[6] = {2, 3, 5, 7, 11, 13};
__device__ const int* second_prime = primes + 1;

extern "C" __global__ void constants(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = word[i & 3];
    for (int k = 0; k < 8; ++k) sum += weights[(k + i) & 7] * x[(i + k) % n];
    y[i] = sum + *second_prime + primes[i % 6];
}

extern "C" __global__ void device_variables(float* out) {
    int i = threadIdx.x;
    if (i < 4) pairs[i] = make_float2(i, i * i);
    if (i == 0) counter += 10;
    __syncthreads();
    out[i] = pairs[i & 3].x + 10 * pairs[i & 3].y + counter;
}

extern "C" __global__ void local_arrays(const int* x, int* out) {
    int i = threadIdx.x;
    int stack[16];
    for (int k = 0; k < 16; ++k) stack[k] = k * 3;
    for (int k = 0; k < 16; ++k) stack[(x[i] + k * 5) & 15] += x[(i + k) % blockDim.x];
    int best = 0;
    for (int k = 1; k < 16; ++k)
        if (stack[k] > stack[best]) best = k;
    out[i] = stack[best] * 16 + best;
}

extern "C" __global__ void static_shared(const float* x, float* y) {
    __shared__ float tile[8][9];
    __shared__ int order[64];
    int i = threadIdx.x;
    tile[i / 8][i % 8] = x[i];
    order[i] = 63 - i;
    __syncthreads();
    y[i] = tile[order[i] % 8][order[i] / 8];
}

extern "C" __global__ void dynamic_shared(const double* x, double* y, int n) {
    extern __shared__ double scratch[];
    short* small = (short*)(scratch + n);
    int i = threadIdx.x;
    for (int k = i; k < n; k += blockDim.x) {
        scratch[k] = x[blockIdx.x * n + k];
        small[k] = (short)(n - 1 - k);
    }
    __syncthreads();
    for (int k = i; k < n; k += blockDim.x) y[blockIdx.x * n + k] = scratch[small[k]] + small[k];
}

__device__ __noinline__ float sum_of(const float* data, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += data[i];
    return sum;
}
extern "C" __global__ void generic_pointers(const float* x, float* y) {
    __shared__ float shared[32];
    float local[8];
    int i = threadIdx.x;
    shared[i] = x[i] * 2;
    for (int k = 0; k < 8; ++k) local[k] = x[(i + k) & 31] + k;
    __syncthreads();
    const float* source = i % 3 == 0 ? x + (i & 15) : i % 3 == 1 ? shared + (i & 15) : local;
    y[i] = sum_of(source, 8);
}

struct __align__(16) Record { char tag; short code; int count; long long stamp; };
extern "C" __global__ void records(const Record* in, Record* out) {
    int i = threadIdx.x;
    Record r = in[i];
    r.tag += 1; r.code *= 2; r.count -= i; r.stamp ^= (long long)r.count << 33;
    out[blockDim.x - 1 - i] = r;
}

extern "C" __global__ void vectors(const float4* a, const double2* b, const uchar4* c, const short2* d, float4* out) {
    int i = threadIdx.x;
    float4 v = a[i];
    double2 w = b[i];
    uchar4 u = c[i];
    short2 s = d[i];
    out[i] = make_float4(v.x + u.w, v.y - (float)w.y, v.z * s.x, v.w + (float)w.x + u.x + s.y);
}

extern "C" __global__ void bytes_and_shorts(const signed char* a, const unsigned char* b, const short* c,
                                            const unsigned short* d, int* out) {
    int i = threadIdx.x;
    out[i] = a[i] * b[i] + c[i] * d[i] + (a[i] < 0 ? c[i] >> 2 : d[i] >> 3);
}
