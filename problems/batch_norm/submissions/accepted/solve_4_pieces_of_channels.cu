// expect: accepted
//
// Batch norm, step 4: many blocks for a channel.
//
// Added to step 3: its launch has a block for each channel, and 67 channels leave half of the GPU idle. Here a block has
// one piece of one channel, in as many pieces as fill the GPU some times over. A first launch makes the two sums of each
// piece, relative to the channel's first element, a second one adds those of a channel up and normalises a piece. Each of
// the two goes through memory once; a thread asks for four float4 before it uses the first. Where rows of a channel
// begin anywhere, up to three elements before and behind its float4 go one by one. Expect a third of the time with 67
// channels.

#include <cuda_runtime.h>

#define BLOCK 256
#define AHEAD 4

struct Sums {
    float differences;
    float squares;

    __device__ __forceinline__ void add(float x, float pivot) {
        differences += x - pivot;
        squares += (x - pivot) * (x - pivot);
    }

    __device__ __forceinline__ void add(float4 x, float pivot) {
        add(x.x, pivot);
        add(x.y, pivot);
        add(x.z, pivot);
        add(x.w, pivot);
    }
};

// The sums of all threads of the block.
__device__ __forceinline__ Sums of_block(Sums sums) {
    __shared__ Sums parts[BLOCK / 32];
    for (int distance = 16; distance > 0; distance /= 2) {
        sums.differences += __shfl_xor_sync(0xffffffff, sums.differences, distance);
        sums.squares += __shfl_xor_sync(0xffffffff, sums.squares, distance);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = sums;
    }
    __syncthreads();
    sums = {0.0f, 0.0f};
#pragma unroll
    for (int w = 0; w < BLOCK / 32; w++) {
        sums.differences += parts[w].differences;
        sums.squares += parts[w].squares;
    }
    return sums;
}

// Calls `four` with the places of float4s and `one` with those of single elements, for a piece of a channel: images
// first, first + pieces and so on.
template <typename Four, typename One>
__device__ __forceinline__ void walk(int B, int C, int L, int channel, int piece, int pieces, int team, Four four, One one) {
    // A team of `team` threads takes an image of the piece; short ones leave the block room for several.
    const int teams = BLOCK / team;
    const int own = threadIdx.x % team;
    for (int image = piece * teams + threadIdx.x / team; image < B; image += pieces * teams) {
        const size_t start = ((size_t)image * C + channel) * L;
        const int before = min((int)(-start & 3), L);
        const int fours = (L - before) / 4;
        for (int place = own; place < fours; place += AHEAD * team) {
            four(start + before, place, fours);
        }
        if (own < before) {
            one(start + own);
        }
        if (before + 4 * fours + own < L) {
            one(start + before + 4 * fours + own);
        }
    }
}

__global__ void __launch_bounds__(BLOCK)
    sum_pieces(const float* __restrict__ input, Sums* __restrict__ sums, int B, int C, int L, int pieces, int team) {
    const int channel = blockIdx.x;
    const float pivot = input[(size_t)channel * L];
    Sums own = {0.0f, 0.0f};
    walk(
        B, C, L, channel, blockIdx.y, pieces, team,
        [&](size_t start, int place, int fours) {
            float4 parts[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                // What adds nothing stands for what lies behind.
                const bool there = place + k * team < fours;
                parts[k] = there ? reinterpret_cast<const float4*>(input + start)[place + k * team]
                                 : make_float4(pivot, pivot, pivot, pivot);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                own.add(parts[k], pivot);
            }
        },
        [&](size_t at) { own.add(input[at], pivot); });
    own = of_block(own);
    if (threadIdx.x == 0) {
        sums[channel * pieces + blockIdx.y] = own;
    }
}

__global__ void __launch_bounds__(BLOCK)
    normalise(const float* __restrict__ input, const float* __restrict__ weight, const float* __restrict__ bias,
              const Sums* __restrict__ sums, float* __restrict__ output, float* __restrict__ mean,
              float* __restrict__ variance, int B, int C, int L, int pieces, int team) {
    // The last pieces of the first launch are in the cache: begin with them.
    const int channel = C - 1 - blockIdx.x;
    const int piece = pieces - 1 - blockIdx.y;
    const float pivot = input[(size_t)channel * L];
    Sums all = {0.0f, 0.0f};
    for (int p = threadIdx.x; p < pieces; p += BLOCK) {
        all.differences += sums[channel * pieces + p].differences;
        all.squares += sums[channel * pieces + p].squares;
    }
    all = of_block(all);
    const float elements = (float)B * L;
    const float shift = all.differences / elements;
    const float center = pivot + shift;
    const float spread = fmaxf(all.squares / elements - shift * shift, 0.0f);
    const float factor = weight[channel] / sqrtf(spread + 1e-5f);
    const float added = bias[channel];
    if (threadIdx.x == 0 && blockIdx.y == 0) {
        mean[channel] = center;
        variance[channel] = spread;
    }
    auto scaled = [&](float x) { return (x - center) * factor + added; };
    walk(
        B, C, L, channel, piece, pieces, team,
        [&](size_t start, int place, int fours) {
            float4 parts[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                if (place + k * team < fours) {
                    parts[k] = reinterpret_cast<const float4*>(input + start)[place + k * team];
                }
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                if (place + k * team < fours) {
                    const float4 x = parts[k];
                    reinterpret_cast<float4*>(output + start)[place + k * team] =
                        make_float4(scaled(x.x), scaled(x.y), scaled(x.z), scaled(x.w));
                }
            }
        },
        [&](size_t at) { output[at] = scaled(input[at]); });
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output, float* mean,
                      float* variance, int B, int C, int L) {
    // As many threads for an image as have four float4 each, but whole parts of a warp and of the block.
    int team = 8;
    while (team < BLOCK && 4 * AHEAD * team < L) {
        team *= 2;
    }
    const int most = (B + BLOCK / team - 1) / (BLOCK / team);
    int pieces = (16384 + C - 1) / C;
    pieces = pieces < most ? pieces : most;
    Sums* sums = nullptr;
    cudaMalloc((void**)&sums, (size_t)C * pieces * sizeof(Sums));
    sum_pieces<<<dim3(C, pieces), BLOCK>>>(input, sums, B, C, L, pieces, team);
    normalise<<<dim3(C, pieces), BLOCK>>>(input, weight, bias, sums, output, mean, variance, B, C, L, pieces, team);
    cudaFree(sums);
}
