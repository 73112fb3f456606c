"""Compiles kgrade's own small kernels for the current GPU: generators, clocks, bandwidth.

It uses NVRTC, because CuPy's own way flushes subnormal numbers to zero, and caches the result in kgrade's cache folder.
Submissions are not compiled here.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from grader.core.errors import JudgeError
from grader.core.files import write_whole
from grader.core.paths import cache_folder


def compile_cubin(source: str, capability: str) -> bytes:
    """Returns the cubin of CUDA C++ without headers for a compute capability such as "90". Raises JudgeError."""
    from cupy.cuda import nvrtc

    program = nvrtc.createProgram(source, "kgrade.cu", [], [])
    try:
        nvrtc.compileProgram(program, [f"--gpu-architecture=sm_{capability}", "--std=c++17"])
        # The binding takes the last byte for the end of a string.
        return bytes(nvrtc.getCUBIN(program)) + b"\0"
    except nvrtc.NVRTCError as error:
        raise JudgeError(f"kgrade's own kernels don't compile: {error}", nvrtc.getProgramLog(program)) from None
    finally:
        nvrtc.destroyProgram(program)


def load_module(source: str) -> Any:
    """Returns a loaded `cupy.cuda.Module` for the current device. Raises JudgeError."""
    import cupy

    module = cupy.cuda.Module()
    capability = cupy.cuda.Device().compute_capability
    # Another compiler comes with another CuPy or another CUDA; asking it for its version would load it.
    versions = f"{cupy.__version__} {cupy.cuda.runtime.runtimeGetVersion()} {capability}"
    file = _folder() / hashlib.sha256(f"{versions}\n{source}".encode()).hexdigest()
    cubin = _load(file)
    if cubin is None:
        cubin = compile_cubin(source, capability)
        _store(file, cubin)
    module.load(cubin)
    return module


def _folder() -> Path:
    return cache_folder() / "own-kernels"


def _load(file: Path) -> bytes | None:
    """Returns the stored cubin if it is complete: the file begins with its checksum."""
    with suppress(OSError):
        data = file.read_bytes()
        if data[:32] == hashlib.sha256(data[32:]).digest():
            return data[32:]
    return None


def _store(file: Path, cubin: bytes) -> None:
    # A missing cache is no error.
    with suppress(OSError):
        write_whole(file, hashlib.sha256(cubin).digest() + cubin)
