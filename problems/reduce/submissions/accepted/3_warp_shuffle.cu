// expect: accepted
//
// Reduction, step 3: the lanes of a warp pass their sums directly, without shared memory.
//
// Added to step 2: __shfl_down_sync hands over a register of another lane of the warp. Five of them sum up a warp
// with no barrier at all, as a warp's lanes are synchronised by the shuffle itself. Shared memory holds one number
// for each warp only, and one barrier remains instead of nine. Short inputs gain; a long one still spends nearly
// all of its time on reading, which is what step 4 is about.

#define BLOCK (1 << 9)

constexpr int WARP = 32;
constexpr int WARPS = BLOCK / WARP;
constexpr unsigned ALL_LANES = 0xffffffffu;

// The sum over the lanes of a warp; lane 0 has it.
__device__ float warp_sum(float value) {
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(ALL_LANES, value, distance);
    }
    return value;
}

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[WARPS];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }

    int lane = threadIdx.x % WARP;
    int warp = threadIdx.x / WARP;
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
