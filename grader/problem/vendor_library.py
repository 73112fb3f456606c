"""NVIDIA's library as a problem's `baseline()` calls it: by arrays, whose shapes it checks.

It names no library's function; `cublas` does, on the stream and in the process that times.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.core.errors import ProblemError
from grader.problem.harness import Buffer

Matmul = Callable[[str, int, int, int, int, int, int], None]
"""Enqueues C = A B: their type, the addresses of A, B and C, then rows, inner and columns."""
TYPES = ("float32", "float16")


class Library:
    """What a baseline is given; `matmul` is what does it."""

    def __init__(self, matmul: Matmul) -> None:
        self._matmul = matmul

    def matmul(self, a: Buffer, b: Buffer, c: Buffer) -> None:
        """C = A B for f32 or f16 matrices: A of rows x inner, B of inner x columns, C of rows x columns."""
        if not len(a.shape) == len(b.shape) == 2 or c.shape != (a.shape[0], b.shape[1]) or a.shape[1] != b.shape[0]:
            raise ProblemError(
                f"baseline: matmul of {a.name} {a.shape} and {b.name} {b.shape} can't give {c.name} {c.shape}"
            )
        if not a.dtype == b.dtype == c.dtype or a.dtype.numpy not in TYPES:
            types = ", ".join(matrix.dtype.name for matrix in (a, b, c))
            raise ProblemError(f"baseline: matmul takes three matrices of f32 or three of f16; these are of {types}")
        (rows, inner), columns = a.shape, b.shape[1]
        self._matmul(a.dtype.numpy, a.address, b.address, c.address, rows, inner, columns)
