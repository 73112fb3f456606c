# expect: accepted
#
# Zip in tiles of 1024 elements: the last one may reach beyond the arrays, and cuTile leaves that part alone.

import cuda.tile as ct

TILE = 1024


@ct.kernel
def add(a, b, output, tile: ct.Constant[int]):
    place = ct.bid(0)
    total = ct.load(a, index=(place,), shape=(tile,)) + ct.load(b, index=(place,), shape=(tile,))
    ct.store(output, index=(place,), tile=total)


def solve(a, b, output, N):
    ct.launch(0, (ct.cdiv(N, TILE),), add, (a, b, output, TILE))
