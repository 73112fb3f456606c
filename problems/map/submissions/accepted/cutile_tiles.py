# expect: accepted
#
# The sigmoid of each element, in tiles of 1024; sigmoid() is a function that kernels may call.

import cuda.tile as ct

TILE = 1024


@ct.function
def sigmoid(x):
    return 1.0 / (1.0 + ct.exp(-x))


@ct.kernel
def sigmoids(input, output):
    place = ct.bid(0)
    ct.store(output, index=(place,), tile=sigmoid(ct.load(input, index=(place,), shape=(TILE,))))


def solve(input, output, N):
    ct.launch(0, (ct.cdiv(N, TILE),), sigmoids, (input, output))
