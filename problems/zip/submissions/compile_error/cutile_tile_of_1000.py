# expect: compile_error
#
# Zip in tiles of 1000 elements: sizes of tiles are powers of two.

import cuda.tile as ct

TILE = 1000


@ct.kernel
def add(a, b, output):
    place = ct.bid(0)
    total = ct.load(a, index=(place,), shape=(TILE,)) + ct.load(b, index=(place,), shape=(TILE,))  # <- here
    ct.store(output, index=(place,), tile=total)


def solve(a, b, output, N):
    ct.launch(0, (ct.cdiv(N, TILE),), add, (a, b, output))
