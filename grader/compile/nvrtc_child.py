"""The child process in which NVRTC runs: source text in, PTX or a cubin or the compiler's log out.

It decides nothing about the source; that the compiler may crash, hang or eat memory is why it is a process.
"""

from __future__ import annotations

import base64
import contextlib
import os
import resource
from collections.abc import Mapping
from typing import Any

from grader.compile.headers import HEADERS
from grader.errors import ToolMissing
from grader.extras import install_command
from grader.process import serve
from grader.workspace import cache_folder

MEMORY_LIMIT = 4 << 30
"""Address space in bytes: the largest kernels take a quarter of it, endless templates take all."""

LOG_LIMIT = 1 << 20
FILE_LIMIT = 1 << 20

AGED_TARGET = "nvrtc: warning: Architectures prior to"
"""CUDA 12's remark about a GPU before Turing: about the machine, and no news of the source."""


def compile_source(request: Mapping[str, Any]) -> dict[str, Any]:
    """Compile `source` with `options`; `name` is the kernel whose symbol is asked for, or null.

    Answers `ok`, `log`, and where it is ok `ptx`, `symbol` and, if `cubin` is asked for, that in base 64; `status`
    is NVRTC's word for what went wrong.
    """
    nvrtc = _load()
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
        made = {"ptx": "", "cubin": ""}
        if request["cubin"]:
            # CuPy takes the last byte for the end of a string.
            made["cubin"] = base64.b64encode(nvrtc.getCUBIN(program) + b"\0").decode()
        else:
            made["ptx"] = nvrtc.getPTX(program).decode()
        return {"ok": True, "log": _log(nvrtc, program), "symbol": symbol, **made}
    finally:
        nvrtc.destroyProgram(program)


def _log(nvrtc: Any, program: int) -> str:
    try:
        log = nvrtc.getProgramLog(program)
    except UnicodeDecodeError as error:
        # The compiler cuts very long lines at a byte, which may be in the middle of a character.
        log = bytes(error.object).decode(errors="replace")
    lines = str(log)[:LOG_LIMIT].splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(AGED_TARGET))


def _load() -> Any:
    # CuPy makes its cache folder when it is imported: in kgrade's, not in the home folder.
    os.environ["CUPY_CACHE_DIR"] = str(cache_folder() / "cupy")
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


def main() -> None:
    for limit, value in (
        (resource.RLIMIT_AS, MEMORY_LIMIT),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        # The system's own limit may be lower already.
        with contextlib.suppress(ValueError):
            resource.setrlimit(limit, (value, value))
    serve(compile_source)


if __name__ == "__main__":
    main()
