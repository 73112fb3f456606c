// expect: accepted
//
// Reduction, step 4: four floats a load.
//
// Added to step 3: a thread reads a float4, 16 bytes in one instruction, and keeps four sums that do not wait for
// each other. More bytes are in flight at a time, which is what a kernel needs that does nothing but read. The up
// to three elements behind the last whole float4 are read one by one.

#define BLOCK 256

constexpr int WARP = 32;

template <int WIDTH>
__device__ float lane_sum(float value) {
#pragma unroll
    for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance, WIDTH);
    }
    return value;
}

__global__ void __launch_bounds__(BLOCK) reduction_kernel(const float* __restrict__ input, float* output, int N) {
    __shared__ float partial[BLOCK / WARP];

    const int first = blockIdx.x * BLOCK + threadIdx.x;
    const int stride = gridDim.x * BLOCK;
    const int fours = N / 4;
    const float4* input4 = reinterpret_cast<const float4*>(input);

    float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = first; i < fours; i += stride) {
        const float4 four = input4[i];
        sums.x += four.x;
        sums.y += four.y;
        sums.z += four.z;
        sums.w += four.w;
    }
    float sum = (sums.x + sums.y) + (sums.z + sums.w);

    const int tail = fours * 4 + first;
    if (tail < N) {
        sum += input[tail];
    }

    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;
    sum = lane_sum<WARP>(sum);
    if (lane == 0) {
        partial[warp] = sum;
    }
    __syncthreads();

    if (threadIdx.x < WARP) {
        sum = lane_sum<WARP>(lane < BLOCK / WARP ? partial[lane] : 0.0f);
        if (lane == 0) {
            atomicAdd(output, sum);
        }
    }
}
