"""The vendor library that a problem's `baseline()` calls, by arrays whose shapes are checked here.

The library's own functions are called by `cublas`, on the timing stream and in the timing process.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.core.errors import ProblemError
from grader.problem.harness import Buffer

Matmul = Callable[[str, int, int, int, int, int, int], None]
"""Enqueues C = A B. Arguments: NumPy type name, addresses of A, B and C, then rows, inner and columns."""
TYPES = ("float32", "float16")


class Library:
    """The `library` argument of a baseline; `matmul` enqueues the product."""

    def __init__(self, matmul: Matmul) -> None:
        self._matmul = matmul

    def matmul(self, a: Buffer, b: Buffer, c: Buffer) -> None:
        """C = A B for f32 or f16 matrices: A is rows x inner, B inner x columns, C rows x columns. Raises
        ProblemError for other shapes or types.
        """
        if not len(a.shape) == len(b.shape) == 2 or c.shape != (a.shape[0], b.shape[1]) or a.shape[1] != b.shape[0]:
            raise ProblemError(
                f"baseline: matmul of {a.name} {a.shape} and {b.name} {b.shape} can't give {c.name} {c.shape}"
            )
        if not a.dtype == b.dtype == c.dtype or a.dtype.numpy not in TYPES:
            types = ", ".join(matrix.dtype.name for matrix in (a, b, c))
            raise ProblemError(f"baseline: matmul takes three matrices of f32 or three of f16; these are of {types}")
        (rows, inner), columns = a.shape, b.shape[1]
        self._matmul(a.dtype.numpy, a.address, b.address, c.address, rows, inner, columns)
