// expect: accepted
//
// Sparse matrix times dense matrix, step 2: four columns a lane, four entries at once.
//
// Added to step 1: a lane reads four neighbouring columns of B by one load, where K is a multiple of 4, two where it is
// one of 2. As few lanes as that needs share a row, so that a warp takes two or more rows where K is small. Four
// entries are taken at a time: their rows of B are on their way together, which is what hides the time that a read
// takes. All lanes of a row read an entry at the same address, which costs one access.
//
// Where a row needs a whole warp or more, there would be fewer warps than in step 1 and none of them would take a second
// row; such matrices go as in step 1, and so do those of odd K.
//
// What is left is the traffic of B: a row of it comes from memory, or from the L2 cache if B fits, once for each entry.

#include <cuda_runtime.h>

#define BLOCK 256
#define WARP 32
#define ROWS (BLOCK / WARP)

template <int WIDTH>
struct Columns;
template <>
struct Columns<2> {
    typedef float2 type;
};
template <>
struct Columns<4> {
    typedef float4 type;
};

// `lanes` threads share a row of C; each has WIDTH columns.
template <int WIDTH>
__global__ void __launch_bounds__(BLOCK)
    multiply(const int* __restrict__ offsets, const int* __restrict__ columns, const float* __restrict__ values,
             const float* __restrict__ B, float* __restrict__ C, int M, int K, int lanes) {
    typedef typename Columns<WIDTH>::type Vector;
    const int thread = blockIdx.x * BLOCK + threadIdx.x;
    const int i = thread / lanes;
    const int k = thread % lanes * WIDTH;
    if (i >= M || k >= K) {
        return;
    }
    const int end = offsets[i + 1];
    alignas(Vector) float sums[WIDTH] = {};
    int e = offsets[i];
    for (; e + 4 <= end; e += 4) {
        Vector rows[4];
#pragma unroll
        for (int n = 0; n < 4; n++) {
            rows[n] = *reinterpret_cast<const Vector*>(B + (size_t)columns[e + n] * K + k);
        }
#pragma unroll
        for (int n = 0; n < 4; n++) {
            const float factor = values[e + n];
#pragma unroll
            for (int c = 0; c < WIDTH; c++) {
                sums[c] += factor * reinterpret_cast<const float*>(&rows[n])[c];
            }
        }
    }
    for (; e < end; e++) {
        const Vector row = *reinterpret_cast<const Vector*>(B + (size_t)columns[e] * K + k);
#pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            sums[c] += values[e] * reinterpret_cast<const float*>(&row)[c];
        }
    }
    *reinterpret_cast<Vector*>(C + (size_t)i * K + k) = *reinterpret_cast<const Vector*>(sums);
}

// Step 1: a warp for each row and 32 columns of C.
__global__ void multiply_singly(const int* offsets, const int* columns, const float* values, const float* B, float* C,
                                int M, int K) {
    int i = blockIdx.x * ROWS + threadIdx.y;
    int k = blockIdx.y * WARP + threadIdx.x;
    if (i < M && k < K) {
        float sum = 0.0f;
        for (int e = offsets[i]; e < offsets[i + 1]; e++) {
            sum += values[e] * B[(size_t)columns[e] * K + k];
        }
        C[(size_t)i * K + k] = sum;
    }
}

extern "C" void solve(const int* offsets, const int* columns, const float* values, const float* B, float* C, int M,
                      int N, int K, int DEGREE) {
    const int width = K % 4 == 0 ? 4 : 2;
    if (K % 2 != 0 || K > WARP / 2 * width) {
        const dim3 grid((M + ROWS - 1) / ROWS, (K + WARP - 1) / WARP);
        multiply_singly<<<grid, dim3(WARP, ROWS)>>>(offsets, columns, values, B, C, M, K);
        return;
    }
    int lanes = 1;
    while (lanes * width < K) {
        lanes *= 2;
    }
    const int blocks = (int)(((size_t)M * lanes + BLOCK - 1) / BLOCK);
    if (width == 4) {
        multiply<4><<<blocks, BLOCK>>>(offsets, columns, values, B, C, M, K, lanes);
    } else {
        multiply<2><<<blocks, BLOCK>>>(offsets, columns, values, B, C, M, K, lanes);
    }
}
