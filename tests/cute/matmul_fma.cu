// problem: matmul
// expect: accepted
// sizes: M=1,N=1,K=1 M=64,N=32,K=64 M=65,N=33,K=70
//
// Single precision by UniversalFMA: 16 x 16 threads of a tiled MMA hold 4 x 4 sums each. Slabs come by a tiled copy,
// one element at once, and only where there is one.
#include <cute/tensor.hpp>

using namespace cute;

using Side = _64;
using Depth = _16;
using Slab = Shape<Side, Depth>;
using TileC = Shape<Side, Side>;
using Multiply = decltype(make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_16, _16>>{}));
constexpr int THREADS = size(Multiply{});
using Element = Copy_Atom<UniversalCopy<float>, float>;
using CopyA = decltype(make_tiled_copy(Element{}, Layout<Shape<_16, _16>, Stride<_16, _1>>{}));
using CopyB = decltype(make_tiled_copy(Element{}, Layout<Shape<_64, _4>>{}));
using Shared = Layout<Slab, Stride<_1, Int<Side::value + 4>>>;

template <class Copying, class From, class Stage, class Left>
__device__ void bring(Copying copying, const From& slab, Stage&& stage, const Left& left) {
    auto mine = copying.get_slice(threadIdx.x);
    Tensor from = mine.partition_S(slab);
    Tensor to = mine.partition_D(stage);
    Tensor at = mine.partition_S(make_identity_tensor(shape(slab)));
    Tensor inside = make_tensor<bool>(shape(at));
    for (int i = 0; i < size(at); ++i) inside(i) = elem_less(at(i), left);
    clear(to);
    copy_if(copying, inside, from, to);
}

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
#ifdef __CUDA_ARCH__
    __shared__ float slab_A[cosize_v<Shared>];
    __shared__ float slab_B[cosize_v<Shared>];
    Tensor all_A = make_tensor(make_gmem_ptr(A), make_shape(M, N), make_stride(N, _1{}));
    Tensor all_B = make_tensor(make_gmem_ptr(B), make_shape(K, N), make_stride(_1{}, K));
    Tensor all_C = make_tensor(make_gmem_ptr(C), make_shape(M, K), make_stride(K, _1{}));
    Tensor shared_A = make_tensor(make_smem_ptr(slab_A), Shared{});
    Tensor shared_B = make_tensor(make_smem_ptr(slab_B), Shared{});
    const int row = blockIdx.y, column = blockIdx.x;
    const int rows = M - row * Side::value, columns = K - column * Side::value;

    auto mine = Multiply{}.get_slice(threadIdx.x);
    Tensor sums = partition_fragment_C(Multiply{}, TileC{});
    clear(sums);
    for (int slab = 0; slab * Depth::value < N; ++slab) {
        const int depth = N - slab * Depth::value;
        bring(CopyA{}, local_tile(all_A, Slab{}, make_coord(row, slab)), shared_A, make_coord(rows, depth));
        bring(CopyB{}, local_tile(all_B, Slab{}, make_coord(column, slab)), shared_B, make_coord(columns, depth));
        __syncthreads();
        gemm(Multiply{}, mine.partition_A(shared_A), mine.partition_B(shared_B), sums);
        __syncthreads();
    }
    Tensor to = mine.partition_C(local_tile(all_C, TileC{}, make_coord(row, column)));
    Tensor at = mine.partition_C(make_identity_tensor(TileC{}));
    for (int i = 0; i < size(sums); ++i) {
        if (elem_less(at(i), make_coord(rows, columns))) to(i) = sums(i);
    }
#endif
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply<<<dim3(ceil_div(K, Side{}), ceil_div(M, Side{})), THREADS>>>(A, B, C, M, N, K);
}
