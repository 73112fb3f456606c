# expect: accepted
#
# Half-precision matrix multiplication for Hopper: wgmma and TMA, with warps that copy and warps that multiply.
#
# A block makes 128 x 256 elements of C. One warp brings slabs of A and B to shared memory by TMA, four of them ahead;
# two warpgroups do nothing but multiply, straight from there. Two blocks form a cluster and share each tile of B, of
# which either loads a half for both. Blocks are as many as the GPU has processors and take tile after tile, so that
# the next slabs are loaded while results are stored: by stmatrix to shared memory, and from there by TMA.
#
# TMA wants rows that begin at multiples of 16 bytes. Elsewhere, and before Hopper, four warps use mma.m16n8k16.

import cutlass
import cutlass.cute as cute
from cuda.bindings import runtime
from cutlass import pipeline
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.utils import LayoutEnum, SmemAllocator, hopper_helpers

ROWS, COLUMNS, DEPTH = 128, 256, 64
STAGES = 4
CLUSTER = 2
BAND = 8  # clusters whose tiles lie below each other are made together
WARPGROUP = 128
CONSUMERS = 2
THREADS = (1 + CONSUMERS) * WARPGROUP
STORED = 64  # columns of C that are stored at once
BUFFERS = 2  # for those
WAITING = 1  # the named barrier of the threads that multiply; 0 is the block's

SIDE, STEP = 64, 32  # of the tiles of C, and k of a step, without TMA


@cute.kernel
def multiply_by_tma(
    load_a: cute.CopyAtom,
    A: cute.Tensor,
    load_b: cute.CopyAtom,
    B: cute.Tensor,
    store_c: cute.CopyAtom,
    C: cute.Tensor,
    mma: cute.TiledMma,
    layout_a: cute.ComposedLayout,
    layout_b: cute.ComposedLayout,
    layout_c: cute.ComposedLayout,
):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    blocks, _, _ = cute.arch.grid_dim()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    rank = cute.arch.make_warp_uniform(cute.arch.block_idx_in_cluster())

    memory = SmemAllocator()
    a = memory.allocate_tensor(cutlass.Float16, layout_a.outer, byte_alignment=1024, swizzle=layout_a.inner)
    b = memory.allocate_tensor(cutlass.Float16, layout_b.outer, byte_alignment=1024, swizzle=layout_b.inner)
    c = memory.allocate_tensor(cutlass.Float16, layout_c.outer, byte_alignment=1024, swizzle=layout_c.inner)
    slabs = pipeline.PipelineTmaAsync.create(
        num_stages=STAGES,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, CONSUMERS * WARPGROUP),
        tx_count=(ROWS + COLUMNS) * DEPTH * 2,
        barrier_storage=memory.allocate_array(cutlass.Int64, 2 * STAGES),
        cta_layout_vmnk=cute.make_layout((1, CLUSTER, 1, 1)),
        enable_multicast_signaling=True,
    )

    tiles_a = cute.local_tile(A, (ROWS, DEPTH), (None, None))
    tiles_b = cute.local_tile(B, (COLUMNS, DEPTH), (None, None))
    tiles_c = cute.local_tile(C, (ROWS, COLUMNS), (None, None))
    rows, columns, depth = cute.size(tiles_c, mode=[2]), cute.size(tiles_c, mode=[3]), cute.size(tiles_a, mode=[3])
    rows_of_clusters = cute.ceil_div(rows, CLUSTER)

    if warp < WARPGROUP // 32:
        # Registers that this warpgroup does not need go to those that multiply.
        cute.arch.setmaxregister_decrease(40)
        if warp == 0:
            to_a, from_a = cpasync.tma_partition(
                load_a, 0, cute.make_layout(1), cute.group_modes(a, 0, 2), cute.group_modes(tiles_a, 0, 2)
            )
            to_b, from_b = cpasync.tma_partition(
                load_b, rank, cute.make_layout(CLUSTER), cute.group_modes(b, 0, 2), cute.group_modes(tiles_b, 0, 2)
            )
            both = cute.make_layout_image_mask(cute.make_layout((CLUSTER, 1, 1)), (rank, 0, 0), mode=0)
            filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
            for turn in cutlass.range(block // CLUSTER, rows_of_clusters * columns, blocks // CLUSTER, unroll=1):
                band = turn // (BAND * columns)
                within = turn % (BAND * columns)
                height = min(BAND, rows_of_clusters - band * BAND)
                row = (band * BAND + within % height) * CLUSTER + rank
                column = within // height
                for slab in cutlass.range(depth, unroll=1):
                    slabs.producer_acquire(filled)
                    arrived = slabs.producer_get_barrier(filled)
                    cute.copy(load_a, from_a[None, row, slab], to_a[None, filled.index], tma_bar_ptr=arrived)
                    cute.copy(
                        load_b,
                        from_b[None, column, slab],
                        to_b[None, filled.index],
                        tma_bar_ptr=arrived,
                        mcast_mask=both,
                    )
                    filled.advance()
            # No block ends while the other one of its cluster may still write to its memory.
            slabs.producer_tail(filled)
    else:
        cute.arch.setmaxregister_increase(232)
        consumer = thread - WARPGROUP
        mine = mma.get_slice(consumer)
        part_a = mma.make_fragment_A(mine.partition_A(a))
        part_b = mma.make_fragment_B(mine.partition_B(b))
        sums = cute.make_rmem_tensor(mine.partition_shape_C((ROWS, COLUMNS)), cutlass.Float32)

        stmatrix = hopper_helpers.get_smem_store_op(LayoutEnum.ROW_MAJOR, cutlass.Float16, cutlass.Float32)
        halves = cute.make_tiled_copy_C_atom(
            cute.make_copy_atom(cute.nvgpu.warp.StMatrix8x8x16bOp(False, 4), cutlass.Float16), mma
        )
        to_shared = cute.make_tiled_copy_S(stmatrix, halves)
        my_copy = to_shared.get_slice(consumer)
        places = my_copy.partition_D(c)
        held = to_shared.retile(sums)
        out = cute.make_rmem_tensor(cute.shape(my_copy.partition_S(c))[:3], cutlass.Float16)
        width = cute.size(out)

        used = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        done = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        mma.set(warpgroup.Field.ACCUMULATE, True)
        for turn in cutlass.range(block // CLUSTER, rows_of_clusters * columns, blocks // CLUSTER, unroll=1):
            band = turn // (BAND * columns)
            within = turn % (BAND * columns)
            height = min(BAND, rows_of_clusters - band * BAND)
            row = (band * BAND + within % height) * CLUSTER + rank
            column = within // height
            sums.fill(0.0)
            for slab in cutlass.range(depth, unroll=1):
                slabs.consumer_wait(used)
                warpgroup.fence()
                for k in cutlass.range_constexpr(DEPTH // 16):
                    where = (None, None, k, used.index)
                    cute.gemm(mma, sums, part_a[where], part_b[where], sums)
                warpgroup.commit_group()
                # One slab is multiplied while the next is waited for; that before it is done with.
                warpgroup.wait_group(1)
                if slab > 0:
                    slabs.consumer_release(done)
                    done.advance()
                used.advance()
            warpgroup.wait_group(0)
            slabs.consumer_release(done)
            done.advance()

            parts = cute.zipped_divide(tiles_c[None, None, row, column], (ROWS, STORED))
            from_c, to_c = cpasync.tma_partition(store_c, 0, cute.make_layout(1), cute.group_modes(c, 0, 2), parts)
            for part in cutlass.range_constexpr(COLUMNS // STORED):
                buffer = part % BUFFERS
                for i in cutlass.range_constexpr(width):
                    out[i] = held[part * width + i].to(cutlass.Float16)
                # What was stored from this buffer last has left it.
                if warp == WARPGROUP // 32:
                    cute.arch.cp_async_bulk_wait_group(BUFFERS - 1, read=True)
                cute.arch.barrier(barrier_id=WAITING, number_of_threads=CONSUMERS * WARPGROUP)
                cute.copy(to_shared, out, places[None, None, None, buffer])
                cute.arch.fence_proxy("async.shared", space="cta")
                cute.arch.barrier(barrier_id=WAITING, number_of_threads=CONSUMERS * WARPGROUP)
                if warp == WARPGROUP // 32:
                    cute.copy(store_c, from_c[None, buffer], to_c[None, (0, part)])
                    cute.arch.cp_async_bulk_commit_group()
        cute.arch.cp_async_bulk_wait_group(0, read=True)


@cute.jit
def solve_by_tma(
    A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32, blocks: cute.Int32
):
    N, K = cute.assume(N, divby=8), cute.assume(K, divby=8)
    a = cute.make_tensor(A.iterator.align(16), cute.make_layout((M, N), stride=(N, 1)))
    b = cute.make_tensor(B.iterator.align(16), cute.make_layout((K, N), stride=(1, K)))
    c = cute.make_tensor(C.iterator.align(16), cute.make_layout((M, K), stride=(K, 1)))
    tile = (ROWS, COLUMNS, DEPTH)
    mma = hopper_helpers.make_trivial_tiled_mma(
        cutlass.Float16,
        cutlass.Float16,
        OperandMajorMode.K,
        OperandMajorMode.MN,
        cutlass.Float32,
        (CONSUMERS, 1, 1),
        (ROWS // CONSUMERS, COLUMNS),
    )
    layout_a = hopper_helpers.make_smem_layout_a(LayoutEnum.ROW_MAJOR, tile, cutlass.Float16, STAGES)
    layout_b = hopper_helpers.make_smem_layout_b(LayoutEnum.COL_MAJOR, tile, cutlass.Float16, STAGES)
    layout_c = hopper_helpers.make_smem_layout_epi(cutlass.Float16, LayoutEnum.ROW_MAJOR, (ROWS, STORED), BUFFERS)
    load_a, from_a = cpasync.make_tiled_tma_atom(
        cpasync.CopyBulkTensorTileG2SOp(), a, cute.slice_(layout_a, (None, None, 0)), (ROWS, DEPTH)
    )
    load_b, from_b = cpasync.make_tiled_tma_atom(
        cpasync.CopyBulkTensorTileG2SMulticastOp(),
        b,
        cute.slice_(layout_b, (None, None, 0)),
        (COLUMNS, DEPTH),
        num_multicast=CLUSTER,
    )
    store_c, to_c = cpasync.make_tiled_tma_atom(
        cpasync.CopyBulkTensorTileS2GOp(), c, cute.slice_(layout_c, (None, None, 0)), (ROWS, STORED)
    )
    multiply_by_tma(load_a, from_a, load_b, from_b, store_c, to_c, mma, layout_a, layout_b, layout_c).launch(
        grid=(blocks, 1, 1), block=(THREADS, 1, 1), cluster=(CLUSTER, 1, 1)
    )


@cute.kernel
def multiply_by_warps(
    A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32, mma: cute.TiledMma
):
    thread, _, _ = cute.arch.thread_idx()
    across, down, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    # Eight halves more a row keep the rows of a fragment in different banks.
    layout = cute.make_layout((SIDE, STEP), stride=(STEP + 8, 1))
    a = memory.allocate_tensor(cutlass.Float16, layout, byte_alignment=16)
    b = memory.allocate_tensor(cutlass.Float16, layout, byte_alignment=16)

    mine = mma.get_slice(thread)
    shared_a, shared_b = mine.partition_A(a), mine.partition_B(b)
    part_a, part_b = mma.make_fragment_A(shared_a), mma.make_fragment_B(shared_b)
    places = mine.partition_C(cute.make_identity_tensor((SIDE, SIDE)))
    sums = cute.make_rmem_tensor(places.shape, cutlass.Float32)
    sums.fill(0.0)

    for first in range(0, N, STEP):
        for i in range(thread, SIDE * STEP, WARPGROUP):
            row, k = i // STEP, i % STEP
            value = cutlass.Float16(0.0)
            if down * SIDE + row < M and first + k < N:
                value = A[down * SIDE + row, first + k]
            a[row, k] = value
        for i in range(thread, SIDE * STEP, WARPGROUP):
            k, column = i // SIDE, i % SIDE
            value = cutlass.Float16(0.0)
            if first + k < N and across * SIDE + column < K:
                value = B[first + k, across * SIDE + column]
            b[column, k] = value
        cute.arch.sync_threads()
        cute.autovec_copy(shared_a, part_a)
        cute.autovec_copy(shared_b, part_b)
        cute.gemm(mma, sums, part_a, part_b, sums)
        cute.arch.sync_threads()

    for i in cutlass.range_constexpr(cute.size(sums)):
        row, column = places[i]
        row, column = row + down * SIDE, column + across * SIDE
        if row < M and column < K:
            C[row, column] = sums[i].to(cutlass.Float16)


@cute.jit
def solve_by_warps(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32):
    instruction = cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(instruction, cute.make_layout((2, 2, 1)))
    grid = (cute.ceil_div(K, SIDE), cute.ceil_div(M, SIDE), 1)
    multiply_by_warps(A, B, C, M, N, K, mma).launch(grid=grid, block=(WARPGROUP, 1, 1))


def attribute(number):
    return runtime.cudaDeviceGetAttribute(number, 0)[1]


def solve(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor, M: cute.Int32, N: cute.Int32, K: cute.Int32):
    attributes = runtime.cudaDeviceAttr
    hopper = attribute(attributes.cudaDevAttrComputeCapabilityMajor) == 9
    if hopper and N % 8 == 0 and K % 8 == 0:
        processors = attribute(attributes.cudaDevAttrMultiProcessorCount)
        solve_by_tma(A, B, C, M, N, K, processors // CLUSTER * CLUSTER)
    else:
        solve_by_warps(A, B, C, M, N, K)
