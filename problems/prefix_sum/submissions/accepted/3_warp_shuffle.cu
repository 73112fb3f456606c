// expect: accepted
//
// Prefix sum, step 3: scans within warps by shuffles, then one over the warps' sums.
//
// Added to step 2: __shfl_up_sync hands a register to a lane further up, five times for a warp, with no barrier. The
// last lane of each warp has its sum; every thread adds the sums of the warps before its own. Two barriers a piece
// are left of eighteen.

#define BLOCK 256

constexpr int WARPS = BLOCK / 32;

__device__ float warp_scan(float value) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        float left = __shfl_up_sync(0xffffffffu, value, distance);
        if (lane >= distance) {
            value += left;
        }
    }
    return value;
}

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    __shared__ float warp_sums[WARPS];
    const float* row = input + blockIdx.x * N;
    float* sums = output + blockIdx.x * N;
    int warp = threadIdx.x / 32;
    float carry = 0.0f;

    for (int start = 0; start < N; start += BLOCK) {
        int j = start + threadIdx.x;
        float scan = warp_scan(j < N ? row[j] : 0.0f);
        if (threadIdx.x % 32 == 31) {
            warp_sums[warp] = scan;
        }
        __syncthreads();

        float before = 0.0f;
        float all = 0.0f;
        for (int w = 0; w < WARPS; ++w) {
            before += w < warp ? warp_sums[w] : 0.0f;
            all += warp_sums[w];
        }
        if (j < N) {
            sums[j] = carry + (before + scan);
        }
        carry += all;
        __syncthreads();
    }
}
