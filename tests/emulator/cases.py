"""The launches that the emulator and the oracle are compared on: one row a kernel in `kernels/`.

A row holds the geometry and the arguments; what the results should be is for the tests to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
RNG = np.random.default_rng(20240607)


@dataclass(frozen=True)
class Case:
    """A launch. Arrays among the arguments are buffers, everything else is passed by value."""

    file: str
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: dict[str, Any]
    shared_bytes: int = 0
    tolerance: float = 0.0
    """Relative error that approximate instructions may leave between two right executions."""
    expect: Callable[[dict[str, Array]], dict[str, Array]] | None = field(default=None, compare=False)
    """NumPy's answer for some of the buffers, from the buffers as they were before the launch."""


def ints(n: int, low: int = 0, high: int = 100, kind: str = "i4") -> Array:
    return RNG.integers(low, high, n).astype(kind)


def any_bits(n: int, kind: str) -> Array:
    """Whole numbers of all magnitudes, and the extreme ones."""
    size = np.dtype(kind).itemsize
    values = RNG.integers(0, 1 << 63, n, dtype=np.uint64) * 2 + RNG.integers(0, 2, n, dtype=np.uint64)
    values >>= RNG.integers(0, 64, n, dtype=np.uint64)
    values[:6] = [0, 1, 2**64 - 1, 2 ** (8 * size - 1), 2 ** (8 * size - 1) - 1, 2**64 - 2]
    return values.astype(f"u{size}").view(kind)


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -2.5, 1e-40, -1e-42, 3e38, 65504.0, 65520.0]


def reals(n: int, kind: str = "f4", special: bool = True) -> Array:
    values = RNG.normal(0, 1, n) * 10.0 ** RNG.integers(-4, 5, n)
    if special:
        values[: len(SPECIAL)] = SPECIAL
        values = RNG.permutation(values)
    with np.errstate(over="ignore"):
        return values.astype(kind)


def smooth(n: int, kind: str = "f4") -> Array:
    return RNG.uniform(-4, 4, n).astype(kind)


def bfloats(n: int) -> Array:
    return (reals(n).view("u4") >> np.uint32(16)).astype("u2")


def zeros(n: int, kind: str = "i4") -> Array:
    return np.zeros(n, kind)


def launch(file: str, kernel: str, grid: Any, block: Any, /, **arguments: Any) -> Case:
    options = {k: arguments.pop(k) for k in ("shared_bytes", "tolerance", "expect") if k in arguments}

    def triple(n: Any) -> tuple[int, int, int]:
        return (n, 1, 1) if isinstance(n, int) else (*n, *(1,) * (3 - len(n)))  # type: ignore[return-value]

    return Case(file, kernel, triple(grid), triple(block), arguments, **options)


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
        return [q, x - q * y, ux // uy, ux % uy, product >> 64, product, mixed >> 50, (product >> 64) ^ (ux * uy >> 64), counts,
                shifted, mixed // (uy | 1) - rest, larger]  # fmt: skip

    rows = [row(x, y) for x, y in zip(a["a"].tolist(), a["b"].tolist(), strict=True)]
    return {"out": np.array([[v % 2**64 for v in r] for r in rows], "u8").view("i8").ravel()}


CASES = [
    launch("control.cu", "collatz", 3, 64, start=ints(150, 1, 4000), steps=zeros(150), n=150, expect=collatz),
    launch("control.cu", "dense_switch", 1, 96, choice=ints(96, -2, 12), x=ints(96, -999, 999), y=ints(96)),
    launch("control.cu", "nested_breaks", 1, 64, limit=ints(64, 0, 25), out=zeros(64)),
    launch("control.cu", "insertion_sort", 2, 32, data=ints(640, -999, 999, "i2"), sorted=zeros(640, "i2"), per_thread=10,
           expect=lambda a: {"sorted": np.sort(a["data"].reshape(-1, 10)).ravel()}),
    launch("control.cu", "special_registers", (2, 3, 2), (5, 3, 4), out=zeros(12 * 60 * 8)),
    launch("jump_table.ptx", "jump_table", 1, 64, x=ints(64), out=zeros(64)),
    launch("calls.cu", "structures", 1, 64, x=ints(64), out=zeros(64)),
    launch("calls.cu", "recursion", 1, 40, x=ints(40, 0, 9), out=zeros(120), expect=recursion),
    launch("calls.cu", "recursion_with_arrays", 1, 40, x=ints(40, 0, 9), out=zeros(40)),
    launch("calls.cu", "function_table", 1, 64, which=ints(64, 0, 3), a=smooth(64), b=smooth(64), out=zeros(64, "f4"),
           expect=lambda a: {"out": np.choose(a["which"], [a["a"] + a["b"], a["a"] - a["b"], a["a"] * a["b"]])}),
    launch("calls.cu", "virtual_calls", 1, 64, kind=ints(64, 0, 2), out=zeros(64)),
    launch("memory.cu", "constants", 2, 64, x=smooth(100), y=zeros(100, "f4"), n=100),
    launch("memory.cu", "device_variables", 1, 64, out=zeros(64, "f4")),
    launch("memory.cu", "local_arrays", 1, 64, x=ints(64), out=zeros(64)),
    launch("memory.cu", "static_shared", 1, 64, x=smooth(64), y=zeros(64, "f4"),
           expect=lambda a: {"y": a["x"].reshape(8, 8).T.ravel()[::-1]}),
    launch("memory.cu", "dynamic_shared", 2, 32, x=smooth(140, "f8"), y=zeros(140, "f8"), n=70, shared_bytes=700),
    launch("memory.cu", "generic_pointers", 1, 32, x=smooth(32), y=zeros(32, "f4")),
    launch("memory.cu", "records", 1, 32, a=any_bits(32 * 3, "u8").view("u8"), b=zeros(32 * 3, "u8")),
    launch("memory.cu", "vectors", 1, 32, a=smooth(128), b=smooth(64, "f8"), c=ints(128, 0, 256, "u1"),
           d=ints(64, -999, 999, "i2"), out=zeros(128, "f4")),
    launch("memory.cu", "bytes_and_shorts", 1, 64, a=ints(64, -128, 128, "i1"), b=ints(64, 0, 256, "u1"),
           c=ints(64, -32768, 32768, "i2"), d=ints(64, 0, 65536, "u2"), out=zeros(64)),
    launch("numbers.cu", "wide_integers", 1, 64, a=any_bits(64, "i8"), b=RNG.permutation(any_bits(64, "i8")),
           out=zeros(64 * 12, "i8"), expect=wide),
    launch("numbers.cu", "bit_tricks", 1, 96, a=any_bits(96, "i4"), b=RNG.permutation(any_bits(96, "i4")), out=zeros(96 * 12)),
    launch("numbers.cu", "directed_rounding", 1, 96, a=reals(96), b=reals(96), c=reals(96, "f8"), out=zeros(96 * 12, "f4"),
           wide=zeros(96 * 6, "f8")),
    launch("numbers.cu", "conversions", 1, 96, a=reals(96), b=reals(96, "f8"), c=any_bits(96, "i4"), d=any_bits(96, "i8"),
           narrow=zeros(96 * 8), wide=zeros(96 * 4, "i8"), single=zeros(96 * 8, "f4")),
    launch("numbers.cu", "halves", 1, 96, a=reals(96, "f2"), b=reals(96, "f2"), x=reals(96), out=zeros(96 * 12, "f2"),
           flags=zeros(96)),
    launch("numbers.cu", "brain_floats", 1, 96, a=bfloats(96), b=bfloats(96), x=reals(96), out=zeros(96 * 8, "u2"),
           wide=zeros(96, "f4")),
    launch("numbers.cu", "functions", 1, 64, a=smooth(64), out=zeros(64 * 16, "f4"), n=64, tolerance=3e-5),
    launch("numbers.cu", "double_functions", 1, 64, a=smooth(64, "f8"), out=zeros(64 * 6, "f8"), tolerance=1e-12),
    launch("atomics.cu", "integer_atomics", 2, 64, x=ints(128, -50, 50), t=np.array([0, 0, 0, 0, -1, 0, 0, 0, 0, 99, 0, 31], "i4"),
           out=zeros(12)),
    launch("atomics.cu", "tickets", 3, 64, next=zeros(1), claimed=zeros(384),
           expect=lambda a: {"claimed": np.ones(384, "i4"), "next": np.array([192], "i4")}),
    launch("atomics.cu", "wide_atomics", 2, 64, x=any_bits(128, "u8"), t=np.array([0, 2**63, 5, 0, 0, 2**64 - 1, 0, 0, 0, 0, 0], "u8")),
    launch("atomics.cu", "float_atomics", 2, 64, x=ints(128, -50, 50), f=zeros(3, "f4"), d=zeros(2, "f8"),
           expect=lambda a: {"d": np.array([a["x"].sum(), a["x"].sum() / 4])}),
    launch("atomics.cu", "float_max", 2, 64, x=smooth(100), best=zeros(1, "f4"), n=100,
           expect=lambda a: {"best": a["x"].max(keepdims=True)}),
    launch("atomics.cu", "histogram", 3, 64, x=ints(1000, 0, 256, "u1"), bins=zeros(64), n=1000,
           expect=lambda a: {"bins": np.bincount(a["x"] % 64, minlength=64).astype("i4")}),
    launch("atomics.cu", "half_atomics", 2, 64, h=zeros(1, "f2"), h2=zeros(2, "f2"), b=zeros(2, "u2"), word=zeros(2, "u2")),
    launch("warps.cu", "shuffles", 1, 64, x=ints(64), d=smooth(64, "f8"), out=zeros(64 * 8), wide=zeros(64, "f8")),
    launch("warps.cu", "votes", 1, 64, x=ints(64), out=zeros(64 * 8)),
    launch("warps.cu", "reductions", 1, 64, x=any_bits(64, "i4"), out=zeros(64 * 8)),
    launch("warps.cu", "halves_apart", 1, 64, x=ints(64), out=zeros(64)),
    launch("warps.cu", "exchange", 1, 64, data=ints(64),
           expect=lambda a: {"data": np.repeat(a["data"].reshape(2, 32).sum(axis=1), 32).astype("i4")}),
    launch("warps.cu", "partitions", 1, 64, x=ints(64), out=zeros(64 * 8)),
    launch("warps.cu", "aggregated_counter", 2, 64, x=ints(128), count=zeros(3)),
    launch("warps.cu", "warp_sum", 3, 96, x=ints(500, -9, 9).astype("f4"), out=zeros(1, "f4"), n=500,
           expect=lambda a: {"out": a["x"].sum(keepdims=True)}),
    launch("barriers.cu", "tree_sum", 2, 128, x=ints(256), out=zeros(2), shared_bytes=512,
           expect=lambda a: {"out": a["x"].reshape(2, 128).sum(axis=1).astype("i4")}),
    launch("barriers.cu", "voting_barriers", 1, 96, x=ints(96), out=zeros(96)),
    launch("barriers.cu", "early_exit", 1, 128, x=ints(128), y=zeros(128), n=77,
           expect=lambda a: {"y": np.concatenate([a["x"][:77][::-1], zeros(51)])}),
    launch("barriers.cu", "named_barriers", 1, 128, x=ints(128), y=zeros(128)),
    launch("barriers.cu", "lock_in_warp", 1, 64, lock=zeros(1), total=zeros(1), x=ints(64),
           expect=lambda a: {"total": a["x"].sum(keepdims=True).astype("i4")}),
    launch("barriers.cu", "lock_spinning", 4, 32, lock=zeros(1), total=zeros(1), x=ints(128),
           expect=lambda a: {"total": a["x"].sum(keepdims=True).astype("i4")}),
    launch("barriers.cu", "waits_for_later_block", 6, 32, flags=zeros(6), out=zeros(6),
           expect=lambda a: {"out": np.array([11, 11, 10, 8, 5, 1], "i4")}),
    launch("barriers.cu", "look_back", 5, 64, x=ints(320), y=zeros(320), state=zeros(5, "u8"), ticket=zeros(1, "u4"),
           expect=lambda a: {"y": np.cumsum(a["x"]).astype("i4")}),
    launch("barriers.cu", "last_block", 4, 64, x=ints(256), parts=zeros(4), done=zeros(1), total=zeros(1),
           expect=lambda a: {"total": np.array([(a["x"] > 50).sum()], "i4")}),
    launch("library.cu", "tiled_matmul", (2, 2), (8, 8), A=smooth(130), B=smooth(110), C=zeros(143, "f4"), M=13, N=10, K=11,
           tolerance=1e-5, expect=matmul),
    launch("library.cu", "softmax", 3, 64, x=smooth(231), y=zeros(231, "f4"), n=77, tolerance=1e-5, expect=softmax),
    launch("library.cu", "transpose", (3, 2), (8, 8), x=smooth(13 * 20, "f8"), y=zeros(260, "f8"), rows=13, columns=20,
           expect=lambda a: {"y": a["x"].reshape(13, 20).T.ravel()}),
    launch("library.cu", "stencil", 3, 64, x=ints(150), y=zeros(150), n=150,
           expect=lambda a: {"y": np.convolve(a["x"], [1, 2, 3, 4, 3, 2, 1], "same").astype("i4")}),
    launch("library.cu", "strided_copy", 2, 64, data=smooth(120), out=zeros(120, "f4"), shape=np.array([4, 5, 6], "i4"),
           strides=np.array([1, 24, 4], "i4"), rank=3, size=120,
           expect=lambda a: {"out": a["data"].reshape(5, 6, 4).transpose(2, 0, 1).ravel()}),
    launch("stops.cu", "prints", 1, 8, x=ints(8), f=smooth(8), w=any_bits(8, "i8")),
]  # fmt: skip
