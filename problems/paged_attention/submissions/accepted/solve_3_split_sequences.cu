// expect: accepted
//
// Paged attention, step 3: parts of sequences, four rows under way, float4.
//
// Added to step 2: a sequence is split into parts with a block each, so that few long ones fill the GPU, and a second
// kernel joins the parts. A lane loads four columns at once, and a warp the keys and values of four tokens before it
// uses the first: eight loads are under way, and there is one correction for four scores. What is left is reading each
// page once.

#include <cuda_runtime.h>

#define BLOCK 128
#define PAGE 16
#define WARPS (BLOCK / 32)
#define ROWS 4  // tokens of a warp under way at a time

// Four columns of a row for each lane. Where rows don't begin at a multiple of 16 bytes, columns a warp's width apart.
template <bool FOURS>
__device__ __forceinline__ void load(float (&x)[4], const float* __restrict__ row, int D, bool inside) {
    const int lane = threadIdx.x % 32;
    if constexpr (FOURS) {
        const bool mine = inside && 4 * lane < D;
        const float4 four = mine ? __ldcs(reinterpret_cast<const float4*>(row) + lane) : float4{};
        x[0] = four.x;
        x[1] = four.y;
        x[2] = four.z;
        x[3] = four.w;
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            x[k] = inside && k * 32 + lane < D ? __ldcs(row + k * 32 + lane) : 0.0f;
        }
    }
}

// Part blockIdx.z of the pages: its largest score, its sum of exponentials, and its weighted sums of columns.
template <bool FOURS>
__global__ void __launch_bounds__(BLOCK)
    attend(const float* __restrict__ queries, const float* __restrict__ keys, const float* __restrict__ values,
           const int* __restrict__ table, const int* __restrict__ lengths, float* __restrict__ parts, int H, int D,
           int T, int pages_of_part) {
    __shared__ float all_largest[WARPS];
    __shared__ float all_sums[WARPS];
    __shared__ float means[WARPS][128];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int h = blockIdx.x;
    const int s = blockIdx.y;
    const int length = lengths[s];
    const int first_page = blockIdx.z * pages_of_part;
    const int last_page = min(first_page + pages_of_part, (length + PAGE - 1) / PAGE);
    const float root = sqrtf((float)D);
    float query[4];
    load<FOURS>(query, queries + ((size_t)s * H + h) * D, D, true);

    float largest = -INFINITY;
    float sum = 0.0f;
    float mean[4] = {};
    for (int page = first_page + warp; page < last_page; page += WARPS) {
        const size_t rows = (size_t)table[(size_t)s * T + page] * PAGE;
        const int tokens = min(PAGE, length - page * PAGE);
        for (int first = 0; first < tokens; first += ROWS) {
            float key[ROWS][4];
            float value[ROWS][4];
            float score[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const size_t row = ((rows + first + r) * H + h) * D;
                load<FOURS>(key[r], keys + row, D, first + r < tokens);
                load<FOURS>(value[r], values + row, D, first + r < tokens);
            }
            float larger = largest;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                score[r] = query[0] * key[r][0] + query[1] * key[r][1] + query[2] * key[r][2] + query[3] * key[r][3];
                for (int distance = 16; distance > 0; distance /= 2) {
                    score[r] += __shfl_xor_sync(0xffffffff, score[r], distance);
                }
                score[r] = first + r < tokens ? score[r] / root : -INFINITY;
                larger = fmaxf(larger, score[r]);
            }
            const float correction = __expf(largest - larger);
            largest = larger;
            sum *= correction;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                mean[k] *= correction;
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const float p = __expf(score[r] - larger);
                sum += p;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    mean[k] += p * value[r][k];
                }
            }
        }
    }
    if (lane == 0) {
        all_largest[warp] = largest;
        all_sums[warp] = sum;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        means[warp][FOURS ? 4 * lane + k : k * 32 + lane] = mean[k];
    }
    __syncthreads();
    float all = -INFINITY;
    for (int w = 0; w < WARPS; w++) {
        all = fmaxf(all, all_largest[w]);
    }
    // A part without tokens has the largest score -INFINITY, and adds nothing.
    float* part = parts + (((size_t)s * H + h) * gridDim.z + blockIdx.z) * (D + 2);
    float total = 0.0f;
    float column = 0.0f;
    for (int w = 0; w < WARPS; w++) {
        const float weight = all_largest[w] == -INFINITY ? 0.0f : __expf(all_largest[w] - all);
        total += weight * all_sums[w];
        column += weight * means[w][threadIdx.x];
    }
    if (threadIdx.x < D) {
        part[threadIdx.x + 2] = column;
    }
    if (threadIdx.x == 0) {
        part[0] = all;
        part[1] = total;
    }
}

__global__ void __launch_bounds__(BLOCK)
    join(const float* __restrict__ parts, float* __restrict__ output, int D, int count) {
    const float* part = parts + (size_t)blockIdx.x * count * (D + 2);
    float all = -INFINITY;
    for (int k = 0; k < count; k++) {
        all = fmaxf(all, part[k * (D + 2)]);
    }
    float total = 0.0f;
    float column = 0.0f;
    for (int k = 0; k < count; k++) {
        const float weight = __expf(part[k * (D + 2)] - all);
        total += weight * part[k * (D + 2) + 1];
        column += threadIdx.x < D ? weight * part[k * (D + 2) + 2 + threadIdx.x] : 0.0f;
    }
    if (threadIdx.x < D) {
        output[(size_t)blockIdx.x * D + threadIdx.x] = column / total;
    }
}

extern "C" void solve(const float* queries, const float* keys, const float* values, const int* table,
                      const int* lengths, float* output, int S, int H, int D, int T, int P) {
    // As many parts as give the GPU some thousand blocks, each of eight pages or more.
    const int wanted = (4096 + S * H - 1) / (S * H);
    const int pages = max((T + wanted - 1) / wanted, min(T, 8));
    const int count = (T + pages - 1) / pages;
    float* parts;
    cudaMalloc(&parts, (size_t)S * H * count * (D + 2) * sizeof(float));
    const dim3 grid(H, S, count);
    if (D % 4 == 0) {
        attend<true><<<grid, BLOCK>>>(queries, keys, values, table, lengths, parts, H, D, T, pages);
    } else {
        attend<false><<<grid, BLOCK>>>(queries, keys, values, table, lengths, parts, H, D, T, pages);
    }
    join<<<S * H, BLOCK>>>(parts, output, D, count);
    cudaFree(parts);
}
