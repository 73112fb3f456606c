# expect: wrong_answer
#
# Matrix multiplication that counts its steps by a division that rounds down: what is left of N is never added.

import cuda.tile as ct

TILE = 32


@ct.kernel
def matmul(A, B, C, steps):
    row, column = ct.bid(1), ct.bid(0)
    total = ct.zeros((TILE, TILE), ct.float32)
    for step in range(steps):
        a = ct.load(A, index=(row, step), shape=(TILE, TILE), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(B, index=(step, column), shape=(TILE, TILE), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(a, b, total)
    ct.store(C, index=(row, column), tile=total)


def solve(A, B, C, M, N, K):
    ct.launch(0, (ct.cdiv(K, TILE), ct.cdiv(M, TILE)), matmul, (A, B, C, N // TILE))
