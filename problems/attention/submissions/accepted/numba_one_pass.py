# expect: accepted
#
# Attention in numba: a warp for each row of Q, and one pass over K and V, corrected as it goes.
#
# A new largest score multiplies the sum and the output so far by exp(old - new). Each lane holds every 32nd number of
# its row of Q and of the output, in local arrays that the compiler keeps in registers.

import math

from numba import cuda, float32

WARPS = 4
PARTS = 4
ALL_LANES = 0xFFFFFFFF


@cuda.jit(device=True)
def sum_of_warp(value):
    for distance in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(ALL_LANES, value, distance)
    return value


@cuda.jit
def attend(Q, K, V, output, N, D, causal):
    lane, row = cuda.threadIdx.x, cuda.blockIdx.x * WARPS + cuda.threadIdx.y
    if row >= N:
        return
    q = cuda.local.array(PARTS, float32)
    mean = cuda.local.array(PARTS, float32)
    for part in range(PARTS):
        d = part * 32 + lane
        q[part] = Q[row, d] if d < D else float32(0)
        mean[part] = float32(0)

    root = math.sqrt(float32(D))
    largest, total = float32(-math.inf), float32(0)
    for j in range(row + 1 if causal else N):
        score = float32(0)
        for part in range(PARTS):
            d = part * 32 + lane
            if d < D:
                score += q[part] * K[j, d]
        score = sum_of_warp(score) / root
        larger = max(largest, score)
        correction = math.exp(largest - larger)
        weight = math.exp(score - larger)
        total = total * correction + weight
        for part in range(PARTS):
            d = part * 32 + lane
            if d < D:
                mean[part] = mean[part] * correction + weight * V[j, d]
        largest = larger

    for part in range(PARTS):
        d = part * 32 + lane
        if d < D:
            output[row, d] = mean[part] / total


def solve(Q, K, V, output, N, D, causal):
    attend[(N + WARPS - 1) // WARPS, (32, WARPS)](Q, K, V, output, N, D, causal)
