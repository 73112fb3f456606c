// expect: accepted
//
// Half-precision matrix multiplication with CuTe, for GPUs from Ampere on.
//
// The plan is that of the ladder's step 2: cp.async brings slabs of A and B while the tensor cores multiply an earlier
// one, ldmatrix reads its fragments, and a permutation of the 16-byte chunks keeps the banks apart. There each of these
// is index arithmetic; here each is a layout, named once, and CuTe derives from it who copies, reads and multiplies
// what. Tiles and stages are smaller, so that shared memory needs no asking for: expect somewhat less than step 2.
//
// The headers are those of the package nvidia-cutlass; without them a plain kernel takes over.

#include <cuda_fp16.h>

#if __has_include(<cute/tensor.hpp>)
#include <cute/tensor.hpp>

namespace tensor {

using namespace cute;

using TileM = _128;                                     // rows of C that a block makes
using TileN = _128;                                     // columns of C that a block makes
using Depth = _32;                                      // k of a slab
constexpr int STAGES = 3;                               // slabs in shared memory, one of which is in use
using SlabA = Shape<TileM, Depth>;
using SlabB = Shape<TileN, Depth>;                      // CuTe has B as columns x k
using TileC = Shape<TileM, TileN>;

// Eight warps, two of them one below the other, side by side four times.
using Multiply =
    decltype(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _4>>{}, Tile<_32, _64, _16>{}));
constexpr int THREADS = size(Multiply{});

// A thread copies 16 bytes at once: of A along k, of B along the columns, for so they lie in memory. What lies beyond
// the edge becomes zeros.
using Chunk = Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint128_t>, half_t>;
using CopyA = decltype(make_tiled_copy(Chunk{}, Layout<Shape<_64, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{}));
using CopyB = decltype(make_tiled_copy(Chunk{}, Layout<Shape<_16, _16>>{}, Layout<Shape<_8, _1>>{}));

// Chunks change places with those of other rows: eight threads that copy a row, and eight that ldmatrix reads a column
// for, find different banks.
using SharedA =
    decltype(tile_to_shape(composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}), SlabA{}));
using SharedB = decltype(tile_to_shape(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_64, _8>>{}), SlabB{}));

// ldmatrix gives a lane what mma.sync wants of it; columns of B are turned into rows on the way.
using ReadA = decltype(make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, Multiply{}));
using ReadB = decltype(make_tiled_copy_B(Copy_Atom<SM75_U16x8_LDSM_T, half_t>{}, Multiply{}));

// Brings a slab to its stage; elements at the coordinates `left` and beyond do not exist. WIDE where chunks can be
// moved at once, else it goes element by element.
template <bool WIDE, class Copying, class Slab, class Stage, class Left>
__device__ void bring(Copying copying, const Slab& slab, Stage&& stage, const Left& left) {
    auto mine = copying.get_slice(threadIdx.x);
    Tensor from = mine.partition_S(slab);
    Tensor to = mine.partition_D(stage);
    Tensor at = mine.partition_S(make_identity_tensor(shape(slab)));
    CUTE_UNROLL
    for (int i = 0; i < size<1>(to); ++i) {
        CUTE_UNROLL
        for (int k = 0; k < size<2>(to); ++k) {
            if constexpr (WIDE) {
                copy(copying.with(elem_less(at(0, i, k), left)), from(_, i, k), to(_, i, k));
            } else {
                CUTE_UNROLL
                for (int v = 0; v < size<0>(to); ++v) {
                    to(v, i, k) = elem_less(at(v, i, k), left) ? from(v, i, k) : half_t(0.0f);
                }
            }
        }
    }
}

// C (M x K) = A (M x N) * B (N x K): k runs along N.
template <bool WIDE>
__global__ void __launch_bounds__(THREADS) multiply(const half_t* A, const half_t* B, half_t* C, int M, int N, int K) {
#ifdef __CUDA_ARCH__  // For the host only the kernel's head counts: to leave out the rest halves the time of compiling.
    __shared__ __align__(128) half_t stages_A[STAGES][cosize_v<SharedA>];
    __shared__ __align__(128) half_t stages_B[STAGES][cosize_v<SharedB>];
    Tensor all_A = make_tensor(make_gmem_ptr(A), make_shape(M, N), make_stride(static_cast<int64_t>(N), _1{}));
    Tensor all_B = make_tensor(make_gmem_ptr(B), make_shape(K, N), make_stride(_1{}, static_cast<int64_t>(K)));
    Tensor all_C = make_tensor(make_gmem_ptr(C), make_shape(M, K), make_stride(static_cast<int64_t>(K), _1{}));
    const int row = blockIdx.y;
    const int column = blockIdx.x;
    const int rows = M - row * TileM::value;
    const int columns = K - column * TileN::value;

    const int slabs = ceil_div(N, Depth{});
    auto begin = [&](int slab) {
        if (slab < slabs) {
            const int stage = slab % STAGES;
            const int depth = N - slab * Depth::value;
            bring<WIDE>(CopyA{}, local_tile(all_A, SlabA{}, make_coord(row, slab)),
                        make_tensor(make_smem_ptr(stages_A[stage]), SharedA{}), make_coord(rows, depth));
            bring<WIDE>(CopyB{}, local_tile(all_B, SlabB{}, make_coord(column, slab)),
                        make_tensor(make_smem_ptr(stages_B[stage]), SharedB{}), make_coord(columns, depth));
        }
        // A group is closed also where there is no slab left, so that the waits below count right.
        cp_async_fence();
    };

    Multiply multiply;
    auto mine = multiply.get_slice(threadIdx.x);
    auto reader_A = ReadA{}.get_slice(threadIdx.x);
    auto reader_B = ReadB{}.get_slice(threadIdx.x);
    Tensor sums = partition_fragment_C(multiply, TileC{});
    clear(sums);
    CUTE_UNROLL
    for (int slab = 0; slab < STAGES - 1; ++slab) {
        begin(slab);
    }
    for (int slab = 0; slab < slabs; ++slab) {
        // This slab has arrived, for all threads; and all are done with the one before, whose stage is filled next.
        cp_async_wait<STAGES - 2>();
        __syncthreads();
        begin(slab + STAGES - 1);
        Tensor slab_A = make_tensor(make_smem_ptr(stages_A[slab % STAGES]), SharedA{});
        Tensor slab_B = make_tensor(make_smem_ptr(stages_B[slab % STAGES]), SharedB{});
        Tensor a = mine.partition_fragment_A(slab_A);
        Tensor b = mine.partition_fragment_B(slab_B);
        copy(ReadA{}, reader_A.partition_S(slab_A), reader_A.retile_D(a));
        copy(ReadB{}, reader_B.partition_S(slab_B), reader_B.retile_D(b));
        gemm(multiply, a, b, sums);
    }

    Tensor to = mine.partition_C(local_tile(all_C, TileC{}, make_coord(row, column)));
    Tensor at = mine.partition_C(make_identity_tensor(TileC{}));
    CUTE_UNROLL
    for (int i = 0; i < size(sums); ++i) {
        if (elem_less(at(i), make_coord(rows, columns))) {
            to(i) = half_t(sums(i));
        }
    }
#endif
}

void launch(const half* A, const half* B, half* C, int M, int N, int K) {
    const auto a = reinterpret_cast<const half_t*>(A);
    const auto b = reinterpret_cast<const half_t*>(B);
    const auto c = reinterpret_cast<half_t*>(C);
    const dim3 grid(ceil_div(K, TileN{}), ceil_div(M, TileM{}));
    // Where every row begins at a multiple of 16 bytes, no chunk lies across an edge.
    if (N % 8 == 0 && K % 8 == 0) {
        multiply<true><<<grid, THREADS>>>(a, b, c, M, N, K);
    } else {
        multiply<false><<<grid, THREADS>>>(a, b, c, M, N, K);
    }
}

}  // namespace tensor
#else
namespace tensor {

constexpr int SIDE = 16;

__global__ void multiply(const half* A, const half* B, half* C, int M, int N, int K) {
    const int row = blockIdx.y * SIDE + threadIdx.y;
    const int column = blockIdx.x * SIDE + threadIdx.x;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += __half2float(A[static_cast<long long>(row) * N + k]) *
                   __half2float(B[static_cast<long long>(k) * K + column]);
        }
        C[static_cast<long long>(row) * K + column] = __float2half(sum);
    }
}

void launch(const half* A, const half* B, half* C, int M, int N, int K) {
    const dim3 grid((K + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE);
    multiply<<<grid, dim3(SIDE, SIDE)>>>(A, B, C, M, N, K);
}

}  // namespace tensor
#endif

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K) {
    tensor::launch(A, B, C, M, N, K);
}
