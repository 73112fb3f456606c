# expect: accepted
#
# Zip by tiles, as the CuTe examples have it: a layout says which elements of a tile are a thread's.
#
# The arrays are cut into tiles. A tensor of coordinates is cut in the same way, so that a thread knows which of its
# elements lie beyond the end: these are left out by a predicate. Each thread has four elements that lie one behind the
# other, and copies them one by one, because N need not be a multiple of four.

import cutlass
import cutlass.cute as cute

THREADS = 128
VALUES = 4


@cute.kernel
def add(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, places: cute.Tensor, N: cute.Int32, layout: cute.Layout):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    mine = [cute.composition(tiles[(None,), block], layout)[thread, None] for tiles in (a, b, output, places)]
    first, second, result, where = mine

    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), a.element_type)
    inside = cute.make_rmem_tensor(where.shape, cutlass.Boolean)
    for i in cutlass.range_constexpr(VALUES):
        inside[i] = cute.elem_less(where[i], (N,))
    x = cute.make_rmem_tensor_like(first)
    y = cute.make_rmem_tensor_like(second)
    x.fill(0.0)
    y.fill(0.0)
    cute.copy(atom, first, x, pred=inside)
    cute.copy(atom, second, y, pred=inside)
    x.store(x.load() + y.load())
    cute.copy(atom, x, result, pred=inside)


@cute.jit
def solve(a: cute.Tensor, b: cute.Tensor, output: cute.Tensor, N: cute.Int32):
    # From a thread and the number of a value to the place in a tile.
    layout = cute.make_layout((THREADS, VALUES), stride=(VALUES, 1))
    tile = (THREADS * VALUES,)
    tiles = [cute.zipped_divide(tensor, tile) for tensor in (a, b, output, cute.make_identity_tensor(output.shape))]
    add(*tiles, N, layout).launch(grid=(cute.size(tiles[0], mode=[1]), 1, 1), block=(THREADS, 1, 1))
