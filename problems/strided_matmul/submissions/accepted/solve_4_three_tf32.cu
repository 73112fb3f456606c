// expect: accepted
//
// Strided matrix multiplication, step 4: tensor cores, with three TF32 products for one of fp32.
//
// Added to step 3: a float is the sum of two TF32 numbers, a big one and what is left. Three products of these, without
// the one of the two small ones, are as accurate as one in fp32, and a tensor core makes them sooner than the other
// units make the one. A tile lies in shared memory as it does in storage, its dimension of the smaller stride within a
// row, so that it comes by asynchronous copies of 16 bytes where neighbours touch; there is code for each of the four
// combinations. A block has 128 x 128 elements of the result, or 64 x 64 where that would make too few blocks. Expect a
// fifth of the time of step 3.

#include <cuda_runtime.h>

#define DEPTH 16

struct Split {
    unsigned big;
    unsigned small;
};

// Rounds to the 11 significant bits of TF32; of the small part the tensor core takes no more than 11.
__device__ __forceinline__ Split split(float value) {
    const unsigned big = (__float_as_uint(value) + 0x1000u) & 0xffffe000u;
    return {big, __float_as_uint(value - __uint_as_float(big))};
}

__device__ __forceinline__ void multiply(float (&sum)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                                         unsigned b1) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Copies 16 bytes, or 4, without waiting; zeros where there is nothing.
__device__ __forceinline__ void copy_four(float* to, const float* from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}

__device__ __forceinline__ void copy_one(float* to, const float* from, bool there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "r"(there ? 4 : 0)
                 : "memory");
}

// One matrix of a tensor: element (i, j) is start[i * outer + j * inner], where i < rows and j < columns.
struct Matrix {
    const float* start;
    int rows, columns;
    int outer, inner;
};

__device__ __forceinline__ Matrix turned(Matrix m) { return {m.start, m.columns, m.rows, m.inner, m.outer}; }

// Copies a tile of HEIGHT x WIDTH from (first_row, first_column).
template <int HEIGHT, int WIDTH, int PITCH, int THREADS>
__device__ __forceinline__ void fetch(float* tile, Matrix m, bool fours, int first_row, int first_column) {
    if (fours) {
#pragma unroll
        for (int i = 0; i < HEIGHT * WIDTH / 4 / THREADS; i++) {
            const int place = i * THREADS + threadIdx.x;
            const int y = place / (WIDTH / 4);
            const int x = place % (WIDTH / 4) * 4;
            const bool there = first_row + y < m.rows && first_column + x < m.columns;
            copy_four(tile + y * PITCH + x, m.start + (there ? (first_row + y) * m.outer + first_column + x : 0), there);
        }
    } else {
#pragma unroll
        for (int i = 0; i < HEIGHT * WIDTH / THREADS; i++) {
            const int place = i * THREADS + threadIdx.x;
            const int y = place / WIDTH;
            const int x = place % WIDTH;
            const bool there = first_row + y < m.rows && first_column + x < m.columns;
            const int at = (first_row + y) * m.outer + (first_column + x) * m.inner;
            copy_one(tile + y * PITCH + x, m.start + (there ? at : 0), there);
        }
    }
}

// Whether rows can be copied by 16 bytes.
__device__ __forceinline__ bool in_fours(Matrix m) {
    return m.inner == 1 && m.columns % 4 == 0 && m.outer % 4 == 0 && (size_t)m.start % 16 == 0;
}

// The block's sums. A warp has SIDE / 2 x 32 elements. Tiles of a and b have k within a row, if A_ALONG_K and B_ALONG_K.
template <int SIDE, bool A_ALONG_K, bool B_ALONG_K>
__device__ __forceinline__ void multiply_tiles(float (&sum)[SIDE / 32][4][4], float (*room)[2][SIDE * (DEPTH + 4)],
                                               Matrix a, Matrix b, int top, int left) {
    constexpr int THREADS = 2 * SIDE;
    // These pitches let the lanes of a fragment read from 32 different banks.
    constexpr int ALONG_K = DEPTH + 4;
    constexpr int ACROSS = SIDE + 8;
    const int terms = a.columns;
    const Matrix from_a = A_ALONG_K ? a : turned(a);
    const Matrix from_b = B_ALONG_K ? turned(b) : b;
    const bool a_fours = in_fours(from_a);
    const bool b_fours = in_fours(from_b);
    const int warp = threadIdx.x / 32;
    const int group = threadIdx.x % 32 / 4;
    const int member = threadIdx.x % 4;
    const int y = warp % 2 * (SIDE / 2);
    const int x = warp / 2 * 32;

    auto fetch_both = [&](int buffer, int first) {
        if (A_ALONG_K) {
            fetch<SIDE, DEPTH, ALONG_K, THREADS>(room[buffer][0], from_a, a_fours, top, first);
        } else {
            fetch<DEPTH, SIDE, ACROSS, THREADS>(room[buffer][0], from_a, a_fours, first, top);
        }
        if (B_ALONG_K) {
            fetch<SIDE, DEPTH, ALONG_K, THREADS>(room[buffer][1], from_b, b_fours, left, first);
        } else {
            fetch<DEPTH, SIDE, ACROSS, THREADS>(room[buffer][1], from_b, b_fours, first, left);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    fetch_both(0, 0);
    for (int first = 0, buffer = 0; first < terms; first += DEPTH, buffer ^= 1) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        // Also: everybody is done with the buffer that is filled next.
        __syncthreads();
        if (first + DEPTH < terms) {
            fetch_both(buffer ^ 1, first + DEPTH);
        }
        const float* tile_a = room[buffer][0];
        const float* tile_b = room[buffer][1];
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8) {
            auto of_a = [&](int row, int term) {
                return split(A_ALONG_K ? tile_a[row * ALONG_K + term] : tile_a[term * ACROSS + row]);
            };
            auto of_b = [&](int term, int column) {
                return split(B_ALONG_K ? tile_b[column * ALONG_K + term] : tile_b[term * ACROSS + column]);
            };
            Split b[4][2];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                b[j][0] = of_b(k + member, x + j * 8 + group);
                b[j][1] = of_b(k + member + 4, x + j * 8 + group);
            }
#pragma unroll
            for (int i = 0; i < SIDE / 32; i++) {
                const int row = y + i * 16 + group;
                const Split a0 = of_a(row, k + member);
                const Split a1 = of_a(row + 8, k + member);
                const Split a2 = of_a(row, k + member + 4);
                const Split a3 = of_a(row + 8, k + member + 4);
                // The small products first. Sums of different tiles stand between two steps of the same sum.
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply(sum[i][j], a0.small, a1.small, a2.small, a3.small, b[j][0].big, b[j][1].big);
                }
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply(sum[i][j], a0.big, a1.big, a2.big, a3.big, b[j][0].small, b[j][1].small);
                }
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply(sum[i][j], a0.big, a1.big, a2.big, a3.big, b[j][0].big, b[j][1].big);
                }
            }
        }
    }
}

template <int SIDE>
__global__ void __launch_bounds__(2 * SIDE, SIDE == 64 ? 3 : 1)
    product(float* __restrict__ out, const int* __restrict__ out_strides, const float* __restrict__ a_storage,
            const int* __restrict__ a_shape, const int* __restrict__ a_strides, const float* __restrict__ b_storage,
            const int* __restrict__ b_shape, const int* __restrict__ b_strides, int M, int N, int K) {
    __shared__ __align__(16) float room[2][2][SIDE * (DEPTH + 4)];
    const int batch = blockIdx.z;
    const int top = blockIdx.y * SIDE;
    const int left = blockIdx.x * SIDE;
    const Matrix a = {a_storage + (a_shape[0] > 1 ? batch * a_strides[0] : 0), M, N, a_strides[1], a_strides[2]};
    const Matrix b = {b_storage + (b_shape[0] > 1 ? batch * b_strides[0] : 0), N, K, b_strides[1], b_strides[2]};
    const bool a_along_k = a.inner <= a.outer;
    const bool b_along_k = b.outer < b.inner;
    float sum[SIDE / 32][4][4] = {};
    if (a_along_k && b_along_k) {
        multiply_tiles<SIDE, true, true>(sum, room, a, b, top, left);
    } else if (a_along_k) {
        multiply_tiles<SIDE, true, false>(sum, room, a, b, top, left);
    } else if (b_along_k) {
        multiply_tiles<SIDE, false, true>(sum, room, a, b, top, left);
    } else {
        multiply_tiles<SIDE, false, false>(sum, room, a, b, top, left);
    }

    const int down = out_strides[1];
    const int across = out_strides[2];
    const int warp = threadIdx.x / 32;
    const int first_row = top + warp % 2 * (SIDE / 2) + threadIdx.x % 32 / 4;
    const int first_column = left + warp / 2 * 32 + threadIdx.x % 4 * 2;
    float* result = out + batch * out_strides[0];
#pragma unroll
    for (int i = 0; i < SIDE / 32; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                const int row = first_row + i * 16 + c / 2 * 8;
                const int column = first_column + j * 8 + c % 2;
                if (row < M && column < K) {
                    result[row * down + column * across] = sum[i][j][c];
                }
            }
        }
    }
}

extern "C" void solve(float* out, const int* out_strides, const float* a_storage, const int* a_shape,
                      const int* a_strides, const float* b_storage, const int* b_shape, const int* b_strides, int BATCH,
                      int M, int N, int K) {
    const size_t large = (size_t)((K + 127) / 128) * ((M + 127) / 128) * BATCH;
    if (large < 256) {
        product<64><<<dim3((K + 63) / 64, (M + 63) / 64, BATCH), 128>>>(
            out, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, M, N, K);
    } else {
        product<128><<<dim3((K + 127) / 128, (M + 127) / 128, BATCH), 256>>>(
            out, out_strides, a_storage, a_shape, a_strides, b_storage, b_shape, b_strides, M, N, K);
    }
}
