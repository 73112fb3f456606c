# expect: runtime_error out_of_bounds
#
# Zip that switches the check of its indices off, although the last tile reaches beyond the arrays.

import cuda.tile as ct

TILE = 512


@ct.kernel
def add(a, b, output):
    indices = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    first = ct.gather(a, indices, check_bounds=False)  # <- here
    ct.scatter(output, indices, first + ct.gather(b, indices))


def solve(a, b, output, N):
    ct.launch(0, (ct.cdiv(N, TILE),), add, (a, b, output))
