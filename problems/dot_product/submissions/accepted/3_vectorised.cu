// expect: accepted
//
// Dot product, step 3: float4 loads, and shuffles instead of the tree.
//
// Added to step 2: two loads of 16 bytes each are in flight for every four products, in four sums that do not wait
// for each other. The lanes of a warp hand their sums on by __shfl_down_sync, with one barrier left in the whole
// kernel. The up to three elements behind the last whole float4 are taken one by one.

#define BLOCK 512

constexpr int WARP = 32;
constexpr int WARPS = BLOCK / WARP;

__device__ float warp_sum(float value) {
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, distance);
    }
    return value;
}

__global__ void __launch_bounds__(BLOCK)
    dot_product_kernel(const float* __restrict__ a, const float* __restrict__ b, float* output, int N) {
    __shared__ float partial[WARPS];

    const int first = blockIdx.x * BLOCK + threadIdx.x;
    const int fours = N / 4;
    const float4* a4 = reinterpret_cast<const float4*>(a);
    const float4* b4 = reinterpret_cast<const float4*>(b);

    float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = first; i < fours; i += gridDim.x * BLOCK) {
        const float4 x = a4[i];
        const float4 y = b4[i];
        sums.x = fmaf(x.x, y.x, sums.x);
        sums.y = fmaf(x.y, y.y, sums.y);
        sums.z = fmaf(x.z, y.z, sums.z);
        sums.w = fmaf(x.w, y.w, sums.w);
    }
    float sum = (sums.x + sums.y) + (sums.z + sums.w);

    const int tail = fours * 4 + first;
    if (tail < N) {
        sum = fmaf(a[tail], b[tail], sum);
    }

    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;
    sum = warp_sum(sum);
    if (lane == 0) {
        partial[warp] = sum;
    }
    __syncthreads();

    if (warp == 0) {
        sum = warp_sum(lane < WARPS ? partial[lane] : 0.0f);
        if (lane == 0) {
            atomicAdd(output, sum);
        }
    }
}
