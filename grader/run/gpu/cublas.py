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
"""What the library's guide recommends for Hopper; with it, nothing is allocated while a graph is captured."""

_TYPES: Mapping[str, tuple[int, int, int, Any]] = {
    "float32": (0, 0, 68, ctypes.c_float),
    "float16": (2, 2, 68, ctypes.c_float),
    "int8": (3, 10, 72, ctypes.c_int32),
}
"""cudaDataType of A and B and of C, cublasComputeType and the scalars' type: library_types.h and cublas_api.h."""
_ANY_ALGORITHM = -1

_MAPS = Path("/proc/self/maps")


class Cublas:
    """A handle of its own on the current device."""

    def __init__(self) -> None:
        import cupy

        self._library = ctypes.CDLL(_find())
        self._handle = ctypes.c_void_p()
        self._workspace = cupy.empty(WORKSPACE, dtype=cupy.uint8)
        self._call("cublasCreate_v2", ctypes.byref(self._handle))

    def matmul(self, stream: Any, dtype: str, a: int, b: int, c: int, rows: int, inner: int, columns: int) -> None:
        """Enqueue C = A B on arrays at these addresses, stored row by row: rows x inner x columns.

        Sums of float16 are kept in fp32. Of int8, C is of int32, and B is read as stored column by column, the one way
        for which the library has a quick product. One handle's launches share a workspace: they have to be on one
        stream, or on streams that wait for each other.
        """
        workspace = ctypes.c_void_p(self._workspace.data.ptr)
        # Setting the stream takes the workspace away again.
        self._call("cublasSetStream_v2", self._handle, ctypes.c_void_p(stream.ptr))
        self._call("cublasSetWorkspace_v2", self._handle, workspace, ctypes.c_size_t(WORKSPACE))
        # The library counts columns first, for which these arrays are their transposes: C' = B' A'.
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
        """What a problem's `baseline()` is given to launch on this stream."""
        return Library(partial(self.matmul, stream))

    def close(self) -> None:
        """Free the handle. Nothing may be launched after that, by a captured graph neither."""
        if self._handle:
            self._call("cublasDestroy_v2", self._handle)
            self._handle = ctypes.c_void_p()

    def _call(self, function: str, *arguments: Any) -> None:
        status = getattr(self._library, function)(*arguments)
        if status:
            raise JudgeError(f"{function} failed with status {status}")


@lru_cache(maxsize=1)
def loaded() -> Cublas:
    """The process's one handle: making another takes as long as many products."""
    return Cublas()


def _find() -> str:
    """The library that CuPy's binding has loaded, wherever it comes from."""
    try:
        import cupy_backends.cuda.libs.cublas  # noqa: F401 (loads it)
    except ImportError as error:
        raise ToolMissing(f"cuBLAS can't be loaded: {error}", f"type: {install_command()}") from None
    for line in _MAPS.read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if Path(path).name.startswith("libcublas.so"):
            return path
    raise ToolMissing("CuPy has loaded no libcublas.so", f"type: {install_command()}")
