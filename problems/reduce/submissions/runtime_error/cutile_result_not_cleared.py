# expect: runtime_error uninitialized_read
#
# Reduction that adds to the result without a kernel that sets it to zero before.

import cuda.tile as ct

TILE = 1024


@ct.kernel
def add_up(input, output):
    tile = ct.load(input, index=(ct.bid(0),), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
    ct.atomic_add(output, (0,), ct.sum(tile))  # <- here


def solve(input, output, N):
    ct.launch(0, (ct.cdiv(N, TILE),), add_up, (input, output))
