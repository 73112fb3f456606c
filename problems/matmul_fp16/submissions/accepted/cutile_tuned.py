# expect: accepted
#
# Half-precision matrix multiplication with large tiles, whose shape the tuner chooses for each size.
#
# Eight warps multiply a large tile of C on newer GPUs: with four, its sums would not fit into their registers. Bands of
# eight rows of tiles are finished before the next ones begin, so that blocks of one time share what lies in the L2
# cache.

import cuda.tile as ct

BAND = 8
SHAPES = [(64, 32, 64), (128, 64, 128), (128, 128, 256)]


@ct.kernel(num_worker_warps=ct.ByTarget(sm_90=8))
def matmul(A, B, C, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    rows, columns = ct.num_tiles(C, axis=0, shape=(tm, tk)), ct.num_tiles(C, axis=1, shape=(tm, tk))
    block, size = ct.bid(0), BAND * columns
    first = block // size * BAND
    height = min(rows - first, BAND)
    row, column = first + block % size % height, block % size // height
    total = ct.zeros((tm, tk), ct.float32)
    for step in range(ct.num_tiles(A, axis=1, shape=(tm, tn))):
        a = ct.load(A, index=(row, step), shape=(tm, tn), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(B, index=(step, column), shape=(tn, tk), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(a, b, total)
    ct.store(C, index=(row, column), tile=ct.astype(total, ct.float16))


def solve(A, B, C, M, N, K):
    def grid_of(shape):
        return (ct.cdiv(M, shape[0]) * ct.cdiv(K, shape[2]),)

    found = ct.tune.exhaustive_search(SHAPES, 0, grid_of, matmul, lambda shape: (A, B, C, *shape))
    shape = found.best.config
    ct.launch(0, grid_of(shape), matmul, (A, B, C, *shape))
