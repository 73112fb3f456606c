// expect: accepted
//
// Quantise to int8, step 3: the row stays in registers, and moves by float4 and char4.
//
// Added to step 2: a lane keeps up to eight float4, so that a row of up to 1024 elements is read once: 9 bytes an
// element instead of 13, and a quarter of the loads and stores. Of a longer row the rest is read again. Where 4 does
// not divide N, rows begin anywhere, and elements move one by one.

#define BLOCK 256
#define KEPT 8

__device__ __forceinline__ float largest(float4 x) {
    return fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
}

__device__ __forceinline__ float largest_of_warp(float maximum) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffff, maximum, distance));
    }
    return maximum;
}

struct Scale {
    float scale;
    float inverse;

    __device__ __forceinline__ explicit Scale(float maximum) {
        const bool zero = maximum < 0x1p-100f;
        scale = zero ? 0.0f : maximum / 127.0f;
        inverse = zero ? 0.0f : 127.0f / maximum;
    }

    __device__ __forceinline__ void store(float4 x, char4* bytes, float4* floats) const {
        const char4 q = make_char4(__float2int_rn(x.x * inverse), __float2int_rn(x.y * inverse),
                                   __float2int_rn(x.z * inverse), __float2int_rn(x.w * inverse));
        *bytes = q;
        *floats = make_float4(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
    }
};

__global__ void __launch_bounds__(BLOCK)
    quantize_kernel(const float* __restrict__ input, signed char* __restrict__ quantized, float* __restrict__ scales,
                    float* __restrict__ restored, int M, int N) {
    const int row = (blockIdx.x * BLOCK + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= M) {
        return;
    }
    const size_t first = (size_t)row * N;
    float maximum = 0.0f;
    if (N % 4 == 0) {
        const float4* in = reinterpret_cast<const float4*>(input + first);
        char4* bytes = reinterpret_cast<char4*>(quantized + first);
        float4* floats = reinterpret_cast<float4*>(restored + first);
        const int fours = N / 4;
        float4 kept[KEPT];
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int place = 32 * k + lane;
            if (place < fours) {
                kept[k] = in[place];
                maximum = fmaxf(maximum, largest(kept[k]));
            }
        }
        for (int place = 32 * KEPT + lane; place < fours; place += 32) {
            maximum = fmaxf(maximum, largest(in[place]));
        }
        const Scale scale(largest_of_warp(maximum));
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            const int place = 32 * k + lane;
            if (place < fours) {
                scale.store(kept[k], bytes + place, floats + place);
            }
        }
        for (int place = 32 * KEPT + lane; place < fours; place += 32) {
            scale.store(in[place], bytes + place, floats + place);
        }
        if (lane == 0) {
            scales[row] = scale.scale;
        }
        return;
    }
    for (int j = lane; j < N; j += 32) {
        maximum = fmaxf(maximum, fabsf(input[first + j]));
    }
    const Scale scale(largest_of_warp(maximum));
    for (int j = lane; j < N; j += 32) {
        const int whole = __float2int_rn(input[first + j] * scale.inverse);
        quantized[first + j] = whole;
        restored[first + j] = whole * scale.scale;
    }
    if (lane == 0) {
        scales[row] = scale.scale;
    }
}
