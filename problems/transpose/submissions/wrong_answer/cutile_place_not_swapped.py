# expect: wrong_answer
#
# Matrix transpose that transposes each tile and leaves it at the place that it came from.

import cuda.tile as ct

TILE = 32


@ct.kernel
def transpose(input, output):
    row, column = ct.bid(1), ct.bid(0)
    tile = ct.load(input, index=(row, column), shape=(TILE, TILE))
    ct.store(output, index=(row, column), tile=ct.transpose(tile))


def solve(input, output, M, N):
    ct.launch(0, (ct.cdiv(N, TILE), ct.cdiv(M, TILE)), transpose, (input, output))
