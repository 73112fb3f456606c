# expect: accepted
#
# Zip with indices of its own: gather and scatter check each index, and leave out those beyond the end.

import cuda.tile as ct

TILE = 512


@ct.kernel
def add(a, b, output):
    indices = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.scatter(output, indices, ct.gather(a, indices) + ct.gather(b, indices))


def solve(a, b, output, N):
    ct.launch(0, (ct.cdiv(N, TILE),), add, (a, b, output))
