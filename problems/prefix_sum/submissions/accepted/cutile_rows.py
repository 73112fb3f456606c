# expect: accepted
#
# Prefix sums with a block for each row: the sums within a tile, and what all tiles before it add up to.

import cuda.tile as ct

TILE = 512


@ct.kernel
def prefix_sums(input, output):
    row = ct.bid(0)
    before = ct.zeros((1, 1), ct.float32)
    for place in range(ct.num_tiles(input, axis=1, shape=(1, TILE))):
        x = ct.load(input, index=(row, place), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        ct.store(output, index=(row, place), tile=ct.cumsum(x, axis=1) + before)
        before += ct.sum(x, axis=1, keepdims=True)


def solve(input, output, M, N):
    ct.launch(0, (M,), prefix_sums, (input, output))
