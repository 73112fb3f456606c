# expect: accepted
#
# Softmax with a block for each row: maximum and sum in one pass over its tiles, the results in a second.
#
# Where a tile ends beyond the row it is padded with -inf, whose exponential is 0.

import cuda.tile as ct

TILE = 512


@ct.kernel
def softmax(input, output, tile: ct.Constant[int]):
    row = ct.bid(0)
    count = ct.num_tiles(input, axis=1, shape=(1, tile))
    highest = ct.full((1, 1), float("-inf"), ct.float32)
    total = ct.zeros((1, 1), ct.float32)
    for place in range(count):
        x = ct.load(input, index=(row, place), shape=(1, tile), padding_mode=ct.PaddingMode.NEG_INF)
        higher = ct.maximum(highest, ct.max(x, axis=1, keepdims=True))
        total = total * ct.exp(highest - higher) + ct.sum(ct.exp(x - higher), axis=1, keepdims=True)
        highest = higher
    for place in range(count):
        x = ct.load(input, index=(row, place), shape=(1, tile), padding_mode=ct.PaddingMode.NEG_INF)
        ct.store(output, index=(row, place), tile=ct.exp(x - highest) / total)


def solve(input, output, M, N):
    ct.launch(0, (M,), softmax, (input, output, TILE))
