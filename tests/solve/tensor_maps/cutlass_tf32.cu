// problem: matmul
// expect: wrong_answer low_precision
// needs: gpu sm_90 cutlass
// sizes: M=128,N=64,K=128 M=256,N=512,K=384
//
// A GEMM of CUTLASS 3 for Hopper: tensor maps, made on the host, let the kernel copy whole tiles by TMA, and warps that
// only load work beside warps that only multiply. Its tensor cores multiply TF32, which is all that is wrong with it.
// Their operands have to be contiguous along N, so B is transposed first.

#include <cutlass/cutlass.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/util/packed_stride.hpp>

using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;
using BlockTile = cute::Shape<cute::_64, cute::_64, cute::_32>;
using Cluster = cute::Shape<cute::_2, cute::_1, cute::_1>;

using Epilogue = cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, BlockTile, Cluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, Row, 4, float, Row, 4,
    cutlass::epilogue::TmaWarpSpecialized>::CollectiveOp;

using Mainloop = cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, float, Row, 4, float, Column, 4, float, BlockTile, Cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>,
    cutlass::gemm::KernelTmaWarpSpecialized>::CollectiveOp;

using Kernel = cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Mainloop, Epilogue>;
using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

__global__ void transpose(const float* B, float* T, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * K) T[i % K * N + i / K] = B[i];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    float* T;
    cudaMalloc(&T, sizeof(float) * N * K);
    transpose<<<(N * K + 255) / 256, 256>>>(B, T, N, K);

    auto stride_A = cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, cute::make_shape(M, N, 1));
    auto stride_T = cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, cute::make_shape(K, N, 1));
    auto stride_C = cutlass::make_cute_packed_stride(typename Kernel::StrideD{}, cute::make_shape(M, K, 1));
    typename Gemm::Arguments arguments{cutlass::gemm::GemmUniversalMode::kGemm,
                                       {M, K, N, 1},
                                       {A, stride_A, T, stride_T},
                                       {{1.0f, 0.0f}, nullptr, {}, C, stride_C}};
    Gemm gemm;
    void* workspace = nullptr;
    cudaMalloc(&workspace, Gemm::get_workspace_size(arguments) + 1);
    if (gemm.can_implement(arguments) == cutlass::Status::kSuccess &&
        gemm.initialize(arguments, workspace) == cutlass::Status::kSuccess) {
        gemm.run();
    }
    cudaFree(workspace);
    cudaFree(T);
}
