"""What NumPy or plain Python says that some of the kernels compute, from the buffers as they were before."""

from __future__ import annotations

import numpy as np

from .launches import Array


def collatz(a: dict[str, Array]) -> dict[str, Array]:
    def steps(v: int) -> int:
        n = 0
        while v > 1 and n < 200:
            v, n = (3 * v + 1 if v % 2 else v // 2), n + 1
        return n

    return {"steps": np.array([steps(int(v)) for v in a["start"]], "i4")}


def matmul(a: dict[str, Array]) -> dict[str, Array]:
    return {"C": (a["A"].reshape(13, 10) @ a["B"].reshape(10, 11)).ravel()}


def softmax(a: dict[str, Array]) -> dict[str, Array]:
    x = a["x"].reshape(3, 77).astype("f8")
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return {"y": (e / e.sum(axis=1, keepdims=True)).astype("f4").ravel()}


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def ackermann(m: int, n: int) -> int:
    return n + 1 if m == 0 else ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


def recursion(a: dict[str, Array]) -> dict[str, Array]:
    rows = [(fibonacci(n), ackermann(i % 3, n % 5), n % 2 == 0) for i, n in enumerate(a["x"].tolist())]
    return {"out": np.array(rows, "i4").ravel()}


def skipped_calls(a: dict[str, Array]) -> dict[str, Array]:
    def row(x: int) -> int:
        added = [by for by in range(4) if x >> by & 1]
        sums = [sum(by * ((place - by) & 3) for by in added) for place in range(4)]
        return sum(10**place * each for place, each in enumerate(sums))

    return {"out": np.array([row(x) for x in a["x"].tolist()], "i4")}


def predicated_call(a: dict[str, Array]) -> dict[str, Array]:
    # Each odd number calls itself with one less, once.
    return {"out": np.where(a["x"] & 1, 2 * a["x"] - 1, a["x"]).astype("i4")}


def wide(a: dict[str, Array]) -> dict[str, Array]:
    def row(x: int, y: int) -> list[int]:
        y = y or 7
        q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        ux, uy = x % 2**64, y % 2**64
        product, mixed = x * y, ((ux << 37) + uy) % 2**128
        rest = abs(product) % 1000003 * (1 if product >= 0 else -1)
        bits = x % 2**64
        counts = bits.bit_count() + 64 - uy.bit_length() + (bits & -bits).bit_length() + int(f"{uy:064b}"[::-1], 2)
        shifted = x >> (y & 63) if x < y else x << (y & 63)
        larger = (product < 0) + 2 * (mixed > product % 2**128)
        return [
            q,
            x - q * y,
            ux // uy,
            ux % uy,
            product >> 64,
            product,
            mixed >> 50,
            (product >> 64) ^ (ux * uy >> 64),
            counts,
            shifted,
            mixed // (uy | 1) - rest,
            larger,
        ]

    rows = [row(x, y) for x, y in zip(a["a"].tolist(), a["b"].tolist(), strict=True)]
    return {"out": np.array([[v % 2**64 for v in r] for r in rows], "u8").view("i8").ravel()}


def bytes_of_a_word(a: dict[str, Array]) -> dict[str, Array]:
    words = [a[name].astype("u4") for name in ("a", "b")]

    def parts(kind: str) -> list[Array]:
        return [w.view(kind).reshape(-1, 4 // int(kind[1])).astype("i8") for w in words]

    def packed(kind: str, values: Array, saturated: bool = False) -> Array:
        if saturated:
            values = np.clip(values, np.iinfo(kind).min, np.iinfo(kind).max)
        return values.astype(kind).reshape(-1).view("u4")

    ub, uh, sb, sh = ([*parts(kind)] for kind in ("u1", "u2", "i1", "i2"))
    x, y = (w.astype("i8") for w in words)
    r = ub[0][:, 1] + sh[1][:, 1]
    column = [
        packed("u1", ub[0] + ub[1], True) ^ packed("i2", sh[0] + sh[1], True),
        packed("u2", uh[0] - uh[1], True) ^ packed("i1", sb[0] - sb[1], True),
        packed("u2", abs(sh[0] - sh[1])) ^ packed("u1", abs(sb[0] - sb[1])),
        packed("u1", (ub[0] > ub[1]) * 255) ^ packed("u2", (sh[0] <= sh[1]) * 65535),
        packed("u1", ub[0] == ub[1]) + packed("u2", uh[0] < uh[1]),
        packed("u1", ub[0] + ub[1] + 1 >> 1) ^ packed("u2", uh[0] + uh[1] >> 1),
        abs(ub[0] - ub[1]).sum(axis=1) + abs(sh[0] - sh[1]).sum(axis=1),
        packed("u1", abs(sb[0])) ^ packed("u2", -sh[1]) ^ packed("i2", abs(sh[0]), True),
        abs(ub[0][:, 3] - ub[1][:, 0]) + r,
        (r & 0xFF00FFFF) | (x < y) << 16,
        r - sh[0][:, 0] * sh[1][:, 1],
    ]
    pair = np.concatenate([sb[0], sb[1]], axis=1)[:, [1, 3, 5, 7]] + ub[1]
    column.append(r + ((pair + (pair >= 0)) >> 1)[:, [0, 2]].sum(axis=1))
    return {"out": np.stack([c.astype("u4") for c in column], axis=1).ravel()}
