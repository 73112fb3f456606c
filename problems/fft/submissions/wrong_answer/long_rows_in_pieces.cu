// expect: wrong_answer wrong_value
//
// Fourier transform whose last stages were forgotten.
//
// Right for rows that fit into a tile; longer ones are left as transforms of 2048 numbers each.

#define BLOCK 256

constexpr int TILE = 2048;

__device__ __forceinline__ void butterfly(float2& low, float2& high, float2 factor) {
    float2 turned = make_float2(high.x * factor.x - high.y * factor.y, high.x * factor.y + high.y * factor.x);
    high = make_float2(low.x - turned.x, low.y - turned.y);
    low = make_float2(low.x + turned.x, low.y + turned.y);
}

__device__ __forceinline__ float2 factor_of(float half_turns) {
    float2 factor;
    sincospif(half_turns, &factor.y, &factor.x);
    return factor;
}

__global__ void __launch_bounds__(BLOCK)
    fft_kernel(const float* __restrict__ input, float* __restrict__ output, int ROWS, int LOG) {
    __shared__ float2 tile[TILE];
    __shared__ float2 factors[TILE];
    int N = 1 << LOG;
    int length = min(N, TILE);
    const float2* numbers = reinterpret_cast<const float2*>(input) + (size_t)blockIdx.x * N;
    float2* result = reinterpret_cast<float2*>(output) + (size_t)blockIdx.x * N;
    // Those of the stage that joins transforms of `half` numbers begin at place `half`.
    for (int i = threadIdx.x + 1; i < length; i += BLOCK) {
        int half = 1 << (31 - __clz(i));
        factors[i] = factor_of(-(float)(i - half) / half);
    }
    for (int start = 0; start < N; start += length) {
        for (int i = threadIdx.x; i < length; i += BLOCK) {
            tile[i] = numbers[__brev(start + i) >> (32 - LOG)];
        }
        __syncthreads();
        for (int half = 1; half < length; half *= 2) {
            for (int pair = threadIdx.x; pair < length / 2; pair += BLOCK) {
                int k = pair & (half - 1);
                int low = 2 * pair - k;
                butterfly(tile[low], tile[low + half], factors[half + k]);
            }
            __syncthreads();
        }
        for (int i = threadIdx.x; i < length; i += BLOCK) {
            result[start + i] = tile[i];
        }
        __syncthreads();
    }
}
