# expect: accepted
#
# Reduction in two kernels: one sets the result to zero, the other adds the sum of each block to it.
#
# A block adds up many tiles, so that few blocks wait for each other at the result.

import cuda.tile as ct

TILE = 1024
BLOCKS = 512


@ct.kernel
def clear(output):
    ct.store(output, index=(0,), tile=ct.zeros((1,), ct.float32))


@ct.kernel
def add_up(input, output):
    total = ct.zeros((TILE,), ct.float32)
    for place in range(ct.bid(0), ct.num_tiles(input, axis=0, shape=(TILE,)), ct.num_blocks(0)):
        total += ct.load(input, index=(place,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
    ct.atomic_add(output, (0,), ct.sum(total))


def solve(input, output, N):
    ct.launch(0, (1,), clear, (output,))
    ct.launch(0, (min(ct.cdiv(N, TILE), BLOCKS),), add_up, (input, output))
