# expect: accepted
#
# Attention with a block for each 32 rows of Q, which goes through K and V once and corrects its sums whenever a row's
# highest score rises.
#
# Columns are padded with zeros up to a power of two. Scores of keys beyond the end, or later than the row, are -inf.

import math

import cuda.tile as ct

ROWS, KEYS = 32, 32


@ct.kernel
def attention(Q, K, V, output, N, scale, causal: ct.Constant[bool], width: ct.Constant[int]):
    block = ct.bid(0)
    q = ct.load(Q, index=(block, 0), shape=(ROWS, width), padding_mode=ct.PaddingMode.ZERO) * scale
    rows = block * ROWS + ct.arange(ROWS, dtype=ct.int32)[:, None]
    highest = ct.full((ROWS, 1), float("-inf"), ct.float32)
    total = ct.zeros((ROWS, 1), ct.float32)
    result = ct.zeros((ROWS, width), ct.float32)
    # The first tile holds a key for each row, so `highest` is a number from then on.
    steps = ct.cdiv(N, KEYS)
    if causal:
        steps = min(steps, ct.cdiv((block + 1) * ROWS, KEYS))
    for step in range(steps):
        k = ct.load(K, index=(0, step), shape=(width, KEYS), order=(1, 0), padding_mode=ct.PaddingMode.ZERO)
        v = ct.load(V, index=(step, 0), shape=(KEYS, width), padding_mode=ct.PaddingMode.ZERO)
        keys = step * KEYS + ct.arange(KEYS, dtype=ct.int32)[None, :]
        seen = keys < N
        if causal:
            seen = seen & (keys <= rows)
        scores = ct.where(seen, ct.mma(q, k, ct.zeros((ROWS, KEYS), ct.float32)), float("-inf"))
        higher = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True))
        kept = ct.exp(highest - higher)
        p = ct.exp(scores - higher)
        total = total * kept + ct.sum(p, axis=1, keepdims=True)
        result = ct.mma(p, v, result * kept)
        highest = higher
    ct.store(output, index=(block, 0), tile=result / total)


def solve(Q, K, V, output, N, D, causal):
    width = 1 << (D - 1).bit_length()
    arguments = (Q, K, V, output, N, 1.0 / math.sqrt(D), bool(causal), width)
    ct.launch(0, (ct.cdiv(N, ROWS),), attention, arguments)
