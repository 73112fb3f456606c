// expect: accepted
//
// Quantise to int8, step 3: the row stays in registers, and moves by float4 and char4.
//
// Added to step 2: a row is read once, so that 9 bytes an element move instead of 13, in a quarter of the loads and
// stores. A row that begins anywhere has up to three elements before the first whole four and up to three behind the
// last; lanes take these singly. Warps do rows of up to 384 elements, with three float4 a lane at most: what is kept
// must leave room for 64 warps on an SM, since a warp has only its own row's loads under way. Longer rows are done by
// the whole block, one after the other. Expect a tenth less for short rows, which only lose instructions, and more for
// rows of thousands, whose second read missed the caches.

#define BLOCK 256
#define KEPT 3

__device__ __forceinline__ float4 four(const float* input, int at) {
    return *reinterpret_cast<const float4*>(input + at);
}

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

__device__ __forceinline__ float largest_of_block(float maximum) {
    __shared__ float parts[BLOCK / 32];
    maximum = largest_of_warp(maximum);
    // Nobody still reads the parts of the row before.
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = maximum;
    }
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < BLOCK / 32; warp++) {
        maximum = fmaxf(maximum, parts[warp]);
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

    __device__ __forceinline__ void store(float x, signed char* quantized, float* restored, int at) const {
        const int whole = __float2int_rn(x * inverse);
        quantized[at] = whole;
        restored[at] = whole * scale;
    }

    __device__ __forceinline__ void store(float4 x, signed char* quantized, float* restored, int at) const {
        const int4 whole = make_int4(__float2int_rn(x.x * inverse), __float2int_rn(x.y * inverse),
                                     __float2int_rn(x.z * inverse), __float2int_rn(x.w * inverse));
        *reinterpret_cast<char4*>(quantized + at) = make_char4(whole.x, whole.y, whole.z, whole.w);
        *reinterpret_cast<float4*>(restored + at) =
            make_float4(whole.x * scale, whole.y * scale, whole.z * scale, whole.w * scale);
    }
};

// A row by THREADS threads, a warp or a block, of which this is thread `own`; each keeps up to FOURS float4.
template <int THREADS, int FOURS>
__device__ __forceinline__ void do_row(const float* __restrict__ input, signed char* __restrict__ quantized,
                                       float* __restrict__ scales, float* __restrict__ restored, int row, int N,
                                       int own) {
    const int first = row * N;
    // An element has the same number in all three arrays: where a four of floats begins, so does one of bytes.
    const int head = min(-first & 3, N);
    const int fours = (N - head) / 4;
    const int begin = first + head;
    const bool has_single = own < N - 4 * fours;
    const int place_of_single = own < head ? own : 4 * fours + own;
    const float single = has_single ? input[first + place_of_single] : 0.0f;
    float maximum = fabsf(single);
    float4 kept[FOURS];
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        const int place = THREADS * k + own;
        if (place < fours) {
            kept[k] = four(input, begin + 4 * place);
            maximum = fmaxf(maximum, largest(kept[k]));
        }
    }
    if (THREADS > 32) {
        // Not unrolled, since the registers are taken.
#pragma unroll 1
        for (int place = THREADS * FOURS + own; place < fours; place += THREADS) {
            maximum = fmaxf(maximum, largest(four(input, begin + 4 * place)));
        }
    }
    const Scale scale(THREADS > 32 ? largest_of_block(maximum) : largest_of_warp(maximum));
    if (has_single) {
        scale.store(single, quantized, restored, first + place_of_single);
    }
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        const int place = THREADS * k + own;
        if (place < fours) {
            scale.store(kept[k], quantized, restored, begin + 4 * place);
        }
    }
    if (THREADS > 32) {
#pragma unroll 1
        for (int place = THREADS * FOURS + own; place < fours; place += THREADS) {
            scale.store(four(input, begin + 4 * place), quantized, restored, begin + 4 * place);
        }
    }
    if (own == 0) {
        scales[row] = scale.scale;
    }
}

__global__ void __launch_bounds__(BLOCK, 2048 / BLOCK)
    quantize_kernel(const float* __restrict__ input, signed char* __restrict__ quantized, float* __restrict__ scales,
                    float* __restrict__ restored, int M, int N) {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int first_row = blockIdx.x * (BLOCK / 32);
    if (N > 4 * 32 * KEPT) {
        const int behind = min(first_row + BLOCK / 32, M);
        for (int row = first_row; row < behind; row++) {
            do_row<BLOCK, KEPT>(input, quantized, scales, restored, row, N, threadIdx.x);
        }
    } else if (first_row + warp < M) {
        if (N <= 4 * 32) {
            do_row<32, 1>(input, quantized, scales, restored, first_row + warp, N, lane);
        } else {
            do_row<32, KEPT>(input, quantized, scales, restored, first_row + warp, N, lane);
        }
    }
}
