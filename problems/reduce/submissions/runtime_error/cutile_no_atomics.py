# expect: runtime_error data_race
#
# Reduction whose blocks read the result, add their sums and write it back: several do so at the same time.

import cuda.tile as ct

TILE = 64


@ct.kernel
def clear(output):
    ct.store(output, index=(0,), tile=ct.zeros((1,), ct.float32))


@ct.kernel
def add_up(input, output):
    tile = ct.load(input, index=(ct.bid(0),), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
    before = ct.load(output, index=(0,), shape=(1,))
    ct.store(output, index=(0,), tile=before + ct.sum(tile))  # <- here


def solve(input, output, N):
    ct.launch(0, (1,), clear, (output,))
    ct.launch(0, (ct.cdiv(N, TILE),), add_up, (input, output))
