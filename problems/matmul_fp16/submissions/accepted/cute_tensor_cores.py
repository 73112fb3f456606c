# expect: accepted
#
# Half-precision matrix multiplication on tensor cores: four warps compute 64 by 64 elements of C with mma.m16n8k16.
#
# The tiled MMA knows which elements of A, B and C each thread holds: tensors in shared memory are partitioned by it,
# copied to fragments in registers, and multiplied. B lies in shared memory as the instruction wants it, k by column.
# The sums are in single precision. What lies beyond the end of a matrix is zero in shared memory, and not stored.

import cutlass
import cutlass.cute as cute
from cutlass.utils import SmemAllocator

TILE = 64
DEPTH = 32
THREADS = 128


@cute.kernel
def multiply(
    A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32, mma: cute.TiledMma
):
    thread, _, _ = cute.arch.thread_idx()
    across, down, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    # Eight halves more a row keep the rows of a fragment in different banks.
    layout = cute.make_layout((TILE, DEPTH), stride=(DEPTH + 8, 1))
    a = memory.allocate_tensor(cutlass.Float16, layout, byte_alignment=16)
    b = memory.allocate_tensor(cutlass.Float16, layout, byte_alignment=16)

    mine = mma.get_slice(thread)
    shared_a, shared_b = mine.partition_A(a), mine.partition_B(b)
    part_a, part_b = mma.make_fragment_A(shared_a), mma.make_fragment_B(shared_b)
    places = mine.partition_C(cute.make_identity_tensor((TILE, TILE)))
    sums = cute.make_rmem_tensor(places.shape, cutlass.Float32)
    sums.fill(0.0)

    for first in range(0, N, DEPTH):
        for i in range(thread, TILE * DEPTH, THREADS):
            row, k = i // DEPTH, i % DEPTH
            value = cutlass.Float16(0.0)
            if down * TILE + row < M and first + k < N:
                value = A[down * TILE + row, first + k]
            a[row, k] = value
        for i in range(thread, TILE * DEPTH, THREADS):
            k, column = i // TILE, i % TILE
            value = cutlass.Float16(0.0)
            if first + k < N and across * TILE + column < K:
                value = B[first + k, across * TILE + column]
            b[column, k] = value
        cute.arch.sync_threads()
        cute.autovec_copy(shared_a, part_a)
        cute.autovec_copy(shared_b, part_b)
        cute.gemm(mma, sums, part_a, part_b, sums)
        cute.arch.sync_threads()

    for i in cutlass.range_constexpr(cute.size(sums)):
        row, column = places[i]
        row, column = row + down * TILE, column + across * TILE
        if row < M and column < K:
            C[row, column] = sums[i].to(cutlass.Float16)


@cute.jit
def solve(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32):
    instruction = cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(instruction, cute.make_layout((2, 2, 1)))
    grid = (cute.ceil_div(K, TILE), cute.ceil_div(M, TILE), 1)
    multiply(A, B, C, M, N, K, mma).launch(grid=grid, block=(THREADS, 1, 1))
