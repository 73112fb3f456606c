"""Kernels simulated in NumPy: right ones in several orders of summation, imprecise ones, and faulty ones.

Each takes the inputs of a case and returns what such a kernel would write.
"""

from __future__ import annotations

import numpy as np

from grader.check.formats import BF16, FP16, keep_bits

TF32 = keep_bits(10, nearest=True)
TF32_TRUNCATED = keep_bits(10, nearest=False)
BF16_TRUNCATED = keep_bits(7, nearest=False)


def rounded_sum(terms, accumulate=lambda x: x):
    """Sums float64 terms along the last axis in turn; each partial sum is rounded to float32, then further."""
    total = np.zeros(terms.shape[:-1], np.float32)
    for k in range(terms.shape[-1]):
        total = accumulate((total.astype(np.float64) + terms[..., k]).astype(np.float32))
    return total


def tree_sum(terms):
    """Sums along the last axis by halves, as a reduction in shared memory does."""
    parts = terms.astype(np.float32)
    while parts.shape[-1] > 1:
        half = (parts.shape[-1] + 1) // 2
        high = parts[..., half:]
        pairs = parts[..., : high.shape[-1]] + high
        parts = np.concatenate([pairs, parts[..., high.shape[-1] : half]], axis=-1)
    return parts[..., 0]


def products(a, b):
    """All products of a matrix product, exact in float64, of shape (rows, columns, terms)."""
    return a.astype(np.float64)[:, None, :] * b.astype(np.float64).T[None, :, :]


def matmul(a, b, *, inputs=lambda x: x, accumulate=lambda x: x):
    return rounded_sum(products(inputs(a), inputs(b)), accumulate)


def matmul_tree(a, b):
    return tree_sum(products(a, b))


def matmul_three_tf32(a, b):
    """TF32 in three products: the large parts, and each large part with the other's remainder."""
    high_a, high_b = TF32(a), TF32(b)
    low_a, low_b = TF32(a - high_a), TF32(b - high_b)
    return matmul(low_a, high_b) + matmul(high_a, low_b) + matmul(high_a, high_b)


IMPRECISE_MATMULS = {
    "tf32 inputs": lambda a, b: matmul(a, b, inputs=TF32),
    "tf32 truncated": lambda a, b: matmul(a, b, inputs=TF32_TRUNCATED),
    "fp16 inputs": lambda a, b: matmul(a, b, inputs=FP16.round),
    "bf16 inputs": lambda a, b: matmul(a, b, inputs=BF16.round),
    "bf16 truncated": lambda a, b: matmul(a, b, inputs=BF16_TRUNCATED),
    "fp16 inputs and sums": lambda a, b: matmul(a, b, inputs=FP16.round, accumulate=FP16.round),
    "fp16 result": lambda a, b: FP16.round(matmul(a, b, inputs=FP16.round)),
    "bf16 inputs and sums": lambda a, b: matmul(a, b, inputs=BF16.round, accumulate=BF16.round),
}


def _one_short(a, b):
    return matmul(a[:, :-1], b[:-1]) if a.shape[1] > 1 else np.zeros((a.shape[0], b.shape[1]), np.float32)


def _missing_last_tile(a, b, tile=16):
    result = matmul(a, b)
    result[result.shape[0] // tile * tile :, :] = 0
    return result


def _truncated_terms(a, b, tile=16):
    whole = a.shape[1] // tile * tile
    return matmul(a[:, :whole], b[:whole])


def _swapped(a, b):
    rows, terms, columns = a.shape[0], a.shape[1], b.shape[1]
    return matmul(np.resize(a.T, (rows, terms)), np.resize(b.T, (terms, columns)))


def _wrong_stride(a, b):
    shifted = np.resize(np.concatenate([a.ravel()[1:], a.ravel()[:1]]), a.shape)
    return matmul(shifted, b)


def _one_element(a, b):
    result = matmul(a, b)
    result[-1, -1] = result.ravel()[0] + 1
    return result


FAULTY_MATMULS = {
    "one term short": _one_short,
    "missing last tile": _missing_last_tile,
    "truncated terms": _truncated_terms,
    "swapped": _swapped,
    "wrong stride": _wrong_stride,
    "one element": _one_element,
}


def total_sequential(x):
    """One thread adds all elements in turn."""
    return np.cumsum(x, dtype=np.float32)[-1:]


def total_tree(x, block=256):
    """Blocks reduce in shared memory, and their sums are added in turn, as atomicAdd does."""
    padded = np.zeros(-(-x.size // block) * block, np.float32)
    padded[: x.size] = x
    return total_sequential(tree_sum(padded.reshape(-1, block)))


def total_in(format_round, x):
    return total_sequential(format_round(x))


def total_half_tree(x, block=256):
    padded = np.zeros(-(-x.size // block) * block, np.float16)
    padded[: x.size] = x.astype(np.float16)
    parts = padded.reshape(-1, block)
    while parts.shape[-1] > 1:
        half = parts.shape[-1] // 2
        parts = parts[:, :half] + parts[:, half:]
    return total_sequential(parts[:, 0].astype(np.float32))


IMPRECISE_TOTALS = {
    "tf32 inputs": lambda x: total_in(TF32, x),
    "fp16 inputs": lambda x: total_in(FP16.round, x),
    "bf16 inputs": lambda x: total_in(BF16.round, x),
    "half tree": total_half_tree,
}

FAULTY_TOTALS = {
    "last element left out": lambda x: total_tree(x[:-1]) if x.size > 1 else np.zeros(1, np.float32),
    "first element twice": lambda x: total_tree(np.append(x, x[0])),
    "first block only": lambda x: total_tree(x[:256]),
    "no grid stride": lambda x: total_tree(x[: 1024 * 256]),
    "last block left out": lambda x: total_tree(x[: (x.size - 1) // 256 * 256]) if x.size > 256 else x[:1] * 0,
    "half of the tree": lambda x: total_tree(x[::2]),
    "absolute values": lambda x: total_tree(np.abs(x)),
}


def logistic(x, exp=np.exp):
    one = np.float32(1)
    with np.errstate(over="ignore"):
        return one / (one + exp(-x))


def logistic_other(x):
    """The other common form: exact for negative x, and it uses a fast exponential that flushes to zero."""
    with np.errstate(over="ignore", under="ignore"):
        e = np.exp(-np.abs(x))
        e[e < 2.0**-126] = 0
        return np.where(x >= 0, np.float32(1) / (np.float32(1) + e), e / (np.float32(1) + e)).astype(np.float32)


def logistic_fast(x):
    """As with __expf: two to the power of a rounded product."""
    with np.errstate(over="ignore", under="ignore"):
        return logistic(x, lambda y: np.exp2((y * np.float32(1.442695)).astype(np.float32)).astype(np.float32))


def logistic_half(x):
    with np.errstate(all="ignore"):
        half = x.astype(np.float16)
        return (np.float16(1) / (np.float16(1) + np.exp(-half))).astype(np.float32)


IMPRECISE_MAPS = {
    "half inside": logistic_half,
    "fp16 inputs": lambda x: logistic(FP16.round(x)),
    "tf32 inputs": lambda x: logistic(TF32(x)),
    "bf16 inputs": lambda x: logistic(BF16.round(x)),
    "fp16 result": lambda x: FP16.round(logistic(x)),
    "bf16 result": lambda x: BF16.round(logistic(x)),
}


def _last_zero(y):
    y = y.copy()
    y[-1] = 0
    return y


FAULTY_MAPS = {
    "off by one": lambda x: logistic(np.roll(x, 1)),
    "last element": lambda x: _last_zero(logistic(x)),
    "sign": lambda x: logistic(-x),
    "hyperbolic tangent": np.tanh,
    "no negation": lambda x: logistic(x, lambda y: np.exp(-y)),
    "identity": lambda x: x,
    "last block": lambda x: np.where(np.arange(x.size) // 256 * 256 + 256 > x.size, 0, logistic(x)).astype(np.float32),
}

IMPRECISE_ZIPS = {
    "fp16": lambda a, b: _half_sum(a, b),
    "fp16 inputs": lambda a, b: FP16.round(a) + FP16.round(b),
    "bf16 inputs": lambda a, b: BF16.round(a) + BF16.round(b),
    "tf32 inputs": lambda a, b: TF32(a) + TF32(b),
}


def _half_sum(a, b):
    with np.errstate(all="ignore"):
        return (a.astype(np.float16) + b.astype(np.float16)).astype(np.float32)


FAULTY_ZIPS = {
    "difference": lambda a, b: a - b,
    "first only": lambda a, b: a,
    "second shifted": lambda a, b: a + np.roll(b, 1),
    "both shifted": lambda a, b: np.roll(a + b, 1),
    "last element": lambda a, b: _last_zero(a + b),
    "every second": lambda a, b: np.where(np.arange(a.size) % 2 == 0, a + b, 0).astype(np.float32),
}
