"""One call of NVRTC in this process: source text in, PTX, a cubin or the compiler's log out.

The compiler may crash, hang or exhaust memory, so a submission's text is compiled in a separate process.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from grader.compile.headers import HEADERS
from grader.core.errors import ToolMissing
from grader.core.paths import place_cupy_cache
from grader.machine.cuda_packages import install_command

MEMORY_LIMIT = 4 << 30
"""Address space in bytes: the largest kernels take a quarter of it, infinite templates all."""

LOG_LIMIT = 1 << 20

AGED_TARGET = "nvrtc: warning: Architectures prior to"
"""CUDA 12's remark about GPUs before Turing, which does not concern the source."""


def compile_source(request: Mapping[str, Any]) -> dict[str, Any]:
    """Compiles the request's `source` with `options`; `name` is the kernel whose symbol is wanted, or None.

    Returns `ok`, `log`, and on success `symbol` and `ptx`, or `cubin` if requested; on failure `status`, NVRTC's
    error.
    """
    nvrtc = load_compiler()
    headers = [text.encode() for text in HEADERS.values()]
    names = [name.encode() for name in HEADERS]
    program = nvrtc.createProgram(request["source"], request["file"], headers, names)
    try:
        if request["name"]:
            nvrtc.addNameExpression(program, request["name"])
        try:
            nvrtc.compileProgram(program, request["options"])
        except nvrtc.NVRTCError as error:
            return {"ok": False, "log": _log(nvrtc, program), "status": str(error)}
        symbol = nvrtc.getLoweredName(program, request["name"]) if request["name"] else ""
        made: dict[str, Any] = {"ptx": "", "cubin": b""}
        if request["cubin"]:
            # CuPy drops the last byte, which it takes for a string terminator.
            made["cubin"] = bytes(nvrtc.getCUBIN(program)) + b"\0"
        else:
            made["ptx"] = nvrtc.getPTX(program).decode()
        return {"ok": True, "log": _log(nvrtc, program), "symbol": symbol, **made}
    finally:
        nvrtc.destroyProgram(program)


def _log(nvrtc: Any, program: int) -> str:
    try:
        log = nvrtc.getProgramLog(program)
    except UnicodeDecodeError as error:
        # The compiler cuts very long lines at a byte, possibly in the middle of a character.
        log = bytes(error.object).decode(errors="replace")
    lines = str(log)[:LOG_LIMIT].splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(AGED_TARGET))


def load_compiler() -> Any:
    """CuPy's NVRTC module. Raises ToolMissing if the library can't be loaded."""
    place_cupy_cache()
    try:
        from cupy.cuda import nvrtc
    except ImportError as error:
        raise ToolMissing(f"CuPy's NVRTC can't be imported: {error}", f"type: {install_command()}") from None
    try:
        nvrtc.getVersion()
    except RuntimeError as error:
        first = str(error).strip().splitlines()[0]
        message = f"NVRTC, NVIDIA's compiler library, can't be loaded: {first}"
        raise ToolMissing(message, f"type: {install_command()}") from None
    return nvrtc


@contextmanager
def limited_memory() -> Iterator[None]:
    """Limits memory in the block, so that infinite templates are a compiler error and don't kill the process."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    # The system's limit may be lower already.
    if before[1] == resource.RLIM_INFINITY or before[1] > MEMORY_LIMIT:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
