// problem: matmul_fp16
// expect: accepted
// sizes: M=1,N=1,K=1 M=64,N=64,K=64 M=72,N=104,K=136 M=65,N=97,K=67
//
// Tensor cores in the kernel form: cp.async, ldmatrix and mma.sync by CuTe's atoms, two slabs in swizzled shared
// memory, edges by predicates. The problem's grid has a block for each 16 x 16 elements of C: one in sixteen works.
#define TILE 16

#include <cuda_fp16.h>
#include <cute/tensor.hpp>

using namespace cute;

using Side = _64;
using Depth = _32;
using Slab = Shape<Side, Depth>;
using TileC = Shape<Side, Side>;
constexpr int BLOCKS = Side::value / TILE;

using Multiply =
    decltype(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _4>>{}, Tile<_32, _64, _16>{}));
using Chunk = Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint128_t>, half_t>;
using CopyA = decltype(make_tiled_copy(Chunk{}, Layout<Shape<_64, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{}));
using CopyB = decltype(make_tiled_copy(Chunk{}, Layout<Shape<_8, _32>>{}, Layout<Shape<_8, _1>>{}));
using SharedA =
    decltype(tile_to_shape(composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}), Slab{}));
using SharedB = decltype(tile_to_shape(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_64, _8>>{}), Slab{}));
using ReadA = decltype(make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, Multiply{}));
using ReadB = decltype(make_tiled_copy_B(Copy_Atom<SM75_U16x8_LDSM_T, half_t>{}, Multiply{}));

template <bool WIDE, class Copying, class From, class To, class Left>
__device__ void bring(Copying copying, int thread, const From& slab, To&& stage, const Left& left) {
    auto mine = copying.get_slice(thread);
    Tensor from = mine.partition_S(slab);
    Tensor to = mine.partition_D(stage);
    Tensor at = mine.partition_S(make_identity_tensor(shape(slab)));
    CUTE_UNROLL
    for (int v = 0; v < size(to); v += WIDE ? 8 : 1) {
        if constexpr (WIDE) {
            copy(copying.with(elem_less(at(v), left)), from(_, v / 8, 0), to(_, v / 8, 0));
        } else {
            to(v) = elem_less(at(v), left) ? from(v) : half_t(0.0f);
        }
    }
}

template <bool WIDE>
__device__ void multiply(const half_t* A, const half_t* B, half_t* C, int M, int N, int K) {
    __shared__ __align__(128) half_t stages_A[2][cosize_v<SharedA>];
    __shared__ __align__(128) half_t stages_B[2][cosize_v<SharedB>];
    Tensor all_A = make_tensor(make_gmem_ptr(A), make_shape(M, N), make_stride(N, _1{}));
    Tensor all_B = make_tensor(make_gmem_ptr(B), make_shape(K, N), make_stride(_1{}, K));
    Tensor all_C = make_tensor(make_gmem_ptr(C), make_shape(M, K), make_stride(K, _1{}));
    const int thread = threadIdx.y * TILE + threadIdx.x;
    const int row = blockIdx.y / BLOCKS, column = blockIdx.x / BLOCKS;
    const int rows = M - row * Side::value, columns = K - column * Side::value;
    const int slabs = ceil_div(N, Depth{});
    auto begin = [&](int slab) {
        const int depth = N - slab * Depth::value;
        bring<WIDE>(CopyA{}, thread, local_tile(all_A, Slab{}, make_coord(row, slab)),
                    make_tensor(make_smem_ptr(stages_A[slab % 2]), SharedA{}), make_coord(rows, depth));
        bring<WIDE>(CopyB{}, thread, local_tile(all_B, Slab{}, make_coord(column, slab)),
                    make_tensor(make_smem_ptr(stages_B[slab % 2]), SharedB{}), make_coord(columns, depth));
        cp_async_fence();
    };

    auto mine = Multiply{}.get_slice(thread);
    auto reader_A = ReadA{}.get_slice(thread);
    auto reader_B = ReadB{}.get_slice(thread);
    Tensor sums = partition_fragment_C(Multiply{}, TileC{});
    clear(sums);
    begin(0);
    for (int slab = 0; slab < slabs; ++slab) {
        cp_async_wait<0>();
        __syncthreads();
        if (slab + 1 < slabs) begin(slab + 1);
        Tensor slab_A = make_tensor(make_smem_ptr(stages_A[slab % 2]), SharedA{});
        Tensor slab_B = make_tensor(make_smem_ptr(stages_B[slab % 2]), SharedB{});
        Tensor a = mine.partition_fragment_A(slab_A);
        Tensor b = mine.partition_fragment_B(slab_B);
        copy(ReadA{}, reader_A.partition_S(slab_A), reader_A.retile_D(a));
        copy(ReadB{}, reader_B.partition_S(slab_B), reader_B.retile_D(b));
        gemm(Multiply{}, a, b, sums);
    }
    Tensor to = mine.partition_C(local_tile(all_C, TileC{}, make_coord(row, column)));
    Tensor at = mine.partition_C(make_identity_tensor(TileC{}));
    CUTE_UNROLL
    for (int i = 0; i < size(sums); ++i) {
        if (elem_less(at(i), make_coord(rows, columns))) to(i) = half_t(sums(i));
    }
}

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    if (blockIdx.x % BLOCKS != 0 || blockIdx.y % BLOCKS != 0) return;
    const auto a = reinterpret_cast<const half_t*>(A);
    const auto b = reinterpret_cast<const half_t*>(B);
    const auto c = reinterpret_cast<half_t*>(C);
    if (N % 8 == 0 && K % 8 == 0) {
        multiply<true>(a, b, c, M, N, K);
    } else {
        multiply<false>(a, b, c, M, N, K);
    }
}
