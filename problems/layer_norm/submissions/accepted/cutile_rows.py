# expect: accepted
#
# Layer norm with a block for each row and three passes over its tiles: mean, variance, results.
#
# The second pass leaves out the padding, which is as far from the mean as 0 is.

import cuda.tile as ct

TILE = 512
EPSILON = 1e-5


@ct.kernel
def layer_norm(input, weight, bias, output, N, tile: ct.Constant[int]):
    row = ct.bid(0)
    count = ct.num_tiles(input, axis=1, shape=(1, tile))
    sums = ct.zeros((1, tile), ct.float32)
    for place in range(count):
        sums += ct.load(input, index=(row, place), shape=(1, tile), padding_mode=ct.PaddingMode.ZERO)
    mean = ct.sum(sums, axis=1, keepdims=True) / N

    squares = ct.zeros((1, tile), ct.float32)
    for place in range(count):
        x = ct.load(input, index=(row, place), shape=(1, tile), padding_mode=ct.PaddingMode.ZERO)
        within = place * tile + ct.arange(tile, dtype=ct.int32) < N
        squares += ct.where(within[None, :], (x - mean) * (x - mean), 0.0)
    scale = 1.0 / ct.sqrt(ct.sum(squares, axis=1, keepdims=True) / N + EPSILON)

    for place in range(count):
        x = ct.load(input, index=(row, place), shape=(1, tile))
        w = ct.load(weight, index=(place,), shape=(tile,))
        b = ct.load(bias, index=(place,), shape=(tile,))
        ct.store(output, index=(row, place), tile=(x - mean) * scale * w[None, :] + b[None, :])


def solve(input, weight, bias, output, M, N):
    ct.launch(0, (M,), layer_norm, (input, weight, bias, output, N, TILE))
