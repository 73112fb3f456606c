# expect: accepted
#
# Histogram with an atomic addition for each element. Indices beyond the input give bin -1, which is none: cuTile leaves
# out what is out of bounds.

import cuda.tile as ct

TILE = 1024


@ct.kernel
def clear(histogram):
    ct.store(histogram, index=(ct.bid(0),), tile=ct.zeros((TILE,), ct.int32))


@ct.kernel
def count(input, histogram):
    indices = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.atomic_add(histogram, ct.gather(input, indices, padding_value=-1), 1)


def solve(input, histogram, N, BINS):
    ct.launch(0, (ct.cdiv(BINS, TILE),), clear, (histogram,))
    ct.launch(0, (ct.cdiv(N, TILE),), count, (input, histogram))
