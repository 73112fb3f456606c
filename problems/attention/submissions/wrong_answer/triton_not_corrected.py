# expect: wrong_answer wrong_value
#
# Attention in one pass that forgets to correct the result: its earlier parts are relative to a smaller score.
#
# The sum of the exponentials is corrected. With one block of keys there is nothing to correct, and all is right.

import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634


@triton.jit
def attend(
    Q, K, V, output, N, D, scale, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, DEPTH: tl.constexpr
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    depth = tl.arange(0, DEPTH)
    places = rows[:, None] * D + depth[None, :]
    inside = (rows[:, None] < N) & (depth[None, :] < D)
    queries = tl.load(Q + places, mask=inside, other=0.0) * scale

    largest = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((ROWS,), dtype=tl.float32)
    result = tl.zeros((ROWS, DEPTH), dtype=tl.float32)
    end = N
    if CAUSAL:
        end = tl.minimum(N, (tl.program_id(0) + 1) * ROWS)
    for start in range(0, end, KEYS):
        keys = start + tl.arange(0, KEYS)
        there = (keys[:, None] < N) & (depth[None, :] < D)
        key = tl.load(K + keys[:, None] * D + depth[None, :], mask=there, other=0.0)
        scores = tl.dot(queries, tl.trans(key), input_precision="ieee")
        allowed = keys[None, :] < N
        if CAUSAL:
            allowed = allowed & (keys[None, :] <= rows[:, None])
        scores = tl.where(allowed, scores, -float("inf"))

        # The first keys have one that every row may see: from then on no row's largest score is infinite.
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        correction = tl.exp2(largest - larger)
        weights = tl.exp2(scores - larger[:, None])
        total = total * correction + tl.sum(weights, axis=1)
        value = tl.load(V + keys[:, None] * D + depth[None, :], mask=there, other=0.0)
        result = tl.dot(weights, value, result, input_precision="ieee")
        largest = larger
    tl.store(output + places, result / total[:, None], mask=inside)


def solve(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, output: torch.Tensor, N: int, D: int, causal: int):
    ROWS, KEYS = 64, 32
    DEPTH = triton.next_power_of_2(D)
    scale = LOG2_E / D**0.5
    attend[(triton.cdiv(N, ROWS),)](
        Q, K, V, output, N, D, scale, CAUSAL=bool(causal), ROWS=ROWS, KEYS=KEYS, DEPTH=DEPTH, num_warps=4, num_stages=1
    )
