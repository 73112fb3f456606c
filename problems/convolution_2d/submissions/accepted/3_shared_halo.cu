// expect: accepted
//
// 2D convolution, step 3: tile, halo and weights in shared memory, where there are many weights.
//
// Added to step 2: with more than 7 x 7 weights the block copies the elements that it needs once, with zeros where the
// image has none. A thread then reads four weights at once, the same for all lanes, for four elements: no address is
// computed in the loop, and rows of weights are filled up with zeros to a multiple of four. With fewer weights the code
// of step 2 is the faster way, as the halo costs more than it saves. Expect half the time with 31 x 31 weights.

#define TILE 32
#define MOST 31
#define FEW 49

// The sum at a place whose elements all exist, for SIDE x SIDE weights.
template <int SIDE>
__device__ __forceinline__ float inside(const float* __restrict__ weights, const float* __restrict__ corner, int W) {
    float sum = 0.0f;
#pragma unroll
    for (int r = 0; r < SIDE; ++r) {
#pragma unroll
        for (int s = 0; s < SIDE; ++s) {
            sum = fmaf(weights[r * SIDE + s], corner[s], sum);
        }
        corner += W;
    }
    return sum;
}

__device__ __forceinline__ float from_memory(const float* __restrict__ input, const float* __restrict__ weights, int x,
                                             int y, int H, int W, int R, int S) {
    const int top = y - R / 2;
    const int left = x - S / 2;
    if (R == S && top >= 0 && left >= 0 && top + R <= H && left + S <= W) {
        const float* corner = input + top * W + left;
        switch (R) {
            case 3: return inside<3>(weights, corner, W);
            case 5: return inside<5>(weights, corner, W);
            case 7: return inside<7>(weights, corner, W);
        }
    }
    const int first_r = max(0, -top);
    const int last_r = min(R, H - top);
    const int first_s = max(0, -left);
    const int last_s = min(S, W - left);
    float sum = 0.0f;
#pragma unroll 1
    for (int r = first_r; r < last_r; ++r) {
        const float* element = input + (top + r) * W + left;
        const float* weight = weights + r * S;
#pragma unroll 4
        for (int s = first_s; s < last_s; ++s) {
            sum = fmaf(weight[s], element[s], sum);
        }
    }
    return sum;
}

__global__ void __launch_bounds__(TILE * TILE)
    convolution_kernel(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
                       int H, int W, int R, int S) {
    __shared__ float elements[TILE + MOST - 1][TILE + MOST + 1];
    __shared__ __align__(16) float own[MOST][MOST + 1];
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (R * S <= FEW) {
        if (y < H && x < W) {
            output[y * W + x] = from_memory(input, weights, x, y, H, W, R, S);
        }
        return;
    }

    const int first_row = blockIdx.y * TILE - R / 2;
    const int first_column = blockIdx.x * TILE - S / 2;
    // As many columns as a sum of fours reaches, the last ones times zero.
    for (int r = threadIdx.y; r < TILE + R - 1; r += TILE) {
        for (int s = threadIdx.x; s < TILE + MOST + 1; s += TILE) {
            const int row = first_row + r;
            const int column = first_column + s;
            const bool inside = row >= 0 && row < H && column >= 0 && column < W;
            elements[r][s] = inside ? input[row * W + column] : 0.0f;
        }
    }
    if (threadIdx.y < R) {
        own[threadIdx.y][threadIdx.x] = threadIdx.x < S ? weights[threadIdx.y * S + threadIdx.x] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int r = 0; r < R; ++r) {
        const float* element = &elements[threadIdx.y + r][threadIdx.x];
        for (int s = 0; s < S; s += 4) {
            const float4 four = *reinterpret_cast<const float4*>(&own[r][s]);
            sum = fmaf(four.x, element[s], sum);
            sum = fmaf(four.y, element[s + 1], sum);
            sum = fmaf(four.z, element[s + 2], sum);
            sum = fmaf(four.w, element[s + 3], sum);
        }
    }
    if (y < H && x < W) {
        output[y * W + x] = sum;
    }
}
