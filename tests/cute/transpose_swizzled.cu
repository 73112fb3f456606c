// problem: transpose
// expect: accepted
// sizes: M=1,N=1 M=32,N=32 M=33,N=65 M=100,N=7
//
// Transposing by layouts alone: the same tile is written by one and read by another, and a swizzle keeps the banks
// apart in both directions.
#define TILE 16
#define ROWS 16

#include <cute/tensor.hpp>

using namespace cute;

using Square = Shape<_16, _16>;
using Threads = Layout<Shape<_16, _16>, Stride<_16, _1>>;  // neighbours are in a row
using Shared = decltype(composition(Swizzle<4, 0, 4>{}, Threads{}));

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    __shared__ float tile[cosize_v<Shared>];
    Tensor from = make_tensor(make_gmem_ptr(input), make_shape(M, N), make_stride(N, _1{}));
    Tensor to = make_tensor(make_gmem_ptr(output), make_shape(N, M), make_stride(M, _1{}));
    Tensor shared = make_tensor(make_smem_ptr(tile), Shared{});
    const int x = threadIdx.x, y = threadIdx.y;
    const auto here = make_coord(blockIdx.y * TILE + y, blockIdx.x * TILE + x);
    const auto there = make_coord(blockIdx.x * TILE + y, blockIdx.y * TILE + x);

    if (elem_less(here, shape(from))) {
        shared(y, x) = local_tile(from, Square{}, make_coord(blockIdx.y, blockIdx.x))(y, x);
    }
    __syncthreads();
    if (elem_less(there, shape(to))) {
        local_tile(to, Square{}, make_coord(blockIdx.x, blockIdx.y))(y, x) = shared(x, y);
    }
}
