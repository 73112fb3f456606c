"""Compiles kgrade's own small kernels for the GPU at hand: generators, clocks, bandwidth.

By NVRTC and from memory, because CuPy's own way leaves files in the home folder. Submissions don't come here.
"""

from __future__ import annotations

from typing import Any

from grader.errors import JudgeError


def compile_cubin(source: str, capability: str) -> bytes:
    """The cubin of CUDA C++ without headers for a compute capability such as "90"."""
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
    """A loaded `cupy.cuda.Module` for the current device."""
    import cupy

    module = cupy.cuda.Module()
    module.load(compile_cubin(source, cupy.cuda.Device().compute_capability))
    return module
