"""cuBLAS's matrix products on plain addresses: a baseline that can be captured into a graph.

CuPy's own binding refuses to be captured, so the library that CuPy loaded is called directly. Never with TF32.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from grader.core.errors import JudgeError, ToolMissing
from grader.machine.cuda_packages import install_command
from grader.problem.vendor_library import Library

WORKSPACE = 32 << 20
"""The size that the library's guide recommends for Hopper; with it, capturing a graph allocates nothing."""

_TYPES: Mapping[str, tuple[int, int, int, Any]] = {
    "float32": (0, 0, 68, ctypes.c_float),
    "float16": (2, 2, 68, ctypes.c_float),
    "int8": (3, 10, 72, ctypes.c_int32),
}
"""By type of A and B: cudaDataType of A and B and of C, cublasComputeType, the scalars' type (library_types.h,
cublas_api.h).
"""
_ANY_ALGORITHM = -1

_MAPS = Path("/proc/self/maps")


class Cublas:
    """A cuBLAS handle on the current device."""

    def __init__(self) -> None:
        import cupy

        self._library = ctypes.CDLL(_find())
        self._handle = ctypes.c_void_p()
        self._workspace = cupy.empty(WORKSPACE, dtype=cupy.uint8)
        self._call("cublasCreate_v2", ctypes.byref(self._handle))

    def matmul(self, stream: Any, dtype: str, a: int, b: int, c: int, rows: int, inner: int, columns: int) -> None:
        """Enqueues C = A B on arrays at these addresses, stored row by row: rows x inner x columns.

        Sums of float16 are kept in fp32. For int8, C is int32, and B is read as stored column by column, the only way
        for which the library has a fast product. All launches of a handle share a workspace: they have to be on one
        stream, or on streams that wait for each other. Raises JudgeError.
        """
        workspace = ctypes.c_void_p(self._workspace.data.ptr)
        # Setting the stream removes the workspace again.
        self._call("cublasSetStream_v2", self._handle, ctypes.c_void_p(stream.ptr))
        self._call("cublasSetWorkspace_v2", self._handle, workspace, ctypes.c_size_t(WORKSPACE))
        # The library stores columns first, so these arrays are transposed for it: C' = B' A'.
        kind, kind_of_c, sums, scalar = _TYPES[dtype]
        transposed = dtype == "int8"
        self._call(
            "cublasGemmEx",
            self._handle,
            *(int(transposed), 0, columns, rows, inner),
            ctypes.byref(scalar(1)),
            *(ctypes.c_void_p(b), kind, inner if transposed else columns),
            *(ctypes.c_void_p(a), kind, inner),
            ctypes.byref(scalar(0)),
            *(ctypes.c_void_p(c), kind_of_c, columns),
            *(sums, _ANY_ALGORITHM),
        )

    def on(self, stream: Any) -> Library:
        """Returns what a problem's `baseline()` gets to launch on this stream."""
        return Library(partial(self.matmul, stream))

    def close(self) -> None:
        """Frees the handle. Nothing may be launched afterwards, not even by a captured graph."""
        if self._handle:
            self._call("cublasDestroy_v2", self._handle)
            self._handle = ctypes.c_void_p()

    def _call(self, function: str, *arguments: Any) -> None:
        status = getattr(self._library, function)(*arguments)
        if status:
            raise JudgeError(f"{function} failed with status {status}")


@lru_cache(maxsize=1)
def loaded() -> Cublas:
    """Returns the process's only handle: making another takes as long as many products."""
    return Cublas()


def _find() -> str:
    """Returns the path of the library that CuPy's binding has loaded, wherever it comes from. Raises ToolMissing."""
    try:
        import cupy_backends.cuda.libs.cublas  # noqa: F401 (loads it)
    except ImportError as error:
        raise ToolMissing(f"cuBLAS can't be loaded: {error}", f"type: {install_command()}") from None
    for line in _MAPS.read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if Path(path).name.startswith("libcublas.so"):
            return path
    raise ToolMissing("CuPy has loaded no libcublas.so", f"type: {install_command()}")
