# expect: accepted
#
# Half-precision matrix multiplication: mma() takes tiles of float16 to the tensor cores, and adds up in float32.

import cuda.tile as ct

TILE = 64, 32, 64


@ct.kernel
def matmul(A, B, C, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    row, column = ct.bid(1), ct.bid(0)
    total = ct.zeros((tm, tk), ct.float32)
    for step in range(ct.num_tiles(A, axis=1, shape=(tm, tn))):
        a = ct.load(A, index=(row, step), shape=(tm, tn), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(B, index=(step, column), shape=(tn, tk), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(a, b, total)
    ct.store(C, index=(row, column), tile=ct.astype(total, ct.float16))


def solve(A, B, C, M, N, K):
    grid = (ct.cdiv(K, TILE[2]), ct.cdiv(M, TILE[0]))
    ct.launch(0, grid, matmul, (A, B, C, *TILE))
