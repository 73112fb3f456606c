"""Builds the recorder program from its C++ sources with the system's g++ on first use, cached by a hash of its inputs.

It generates a stub for every call that the installed CUDA headers declare, so that a call unknown to the recorder ends
in a clear verdict and not in a loader error. It runs nothing of a submission.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from grader.compile.toolkit import find_toolkit
from grader.core.errors import JudgeError, ToolMissing

SOURCES = Path(__file__).parent / "recorder"

FLAGS = ("-std=c++17", "-O1", "-fvisibility=hidden", "-fno-plt", "-pthread")

BUILD_SECONDS = 120.0

Build = Callable[[str, Sequence[Path], str, Path], None]
"""Makes the program, by a compiler, the folders of CUDA's headers and the text of the stubs."""

_DECLARED = re.compile(r"(?:CUDARTAPI|CUDARTAPI_CDECL|CUDAAPI)\s+\*?\s*(\w+)\s*\(")
_RENAMED = re.compile(r"#\s*define\s+(?:cuda|cu)[A-Z]\w*\s+((?:cuda|cu)[A-Z]\w*)\s*$", re.MULTILINE)
_PER_THREAD = re.compile(r"__(?:CUDART_API|CUDA_API)_PT(DS|SZ)\((\w+)\)")

_HEADERS = ("cuda_runtime_api.h", "cuda_profiler_api.h", "crt/host_runtime.h", "crt/device_functions.h", "cuda.h")
_ENTRY_POINT = re.compile(r"(?:cuda|cu|__cuda)[A-Z]\w*")


def build_recorder(cache: Path, build: Build | None = None, say: Callable[[], None] = lambda: None) -> Path:
    """Returns the path of the recorder. If it is not cached, calls `say` and builds it by `build`.

    Raises ToolMissing without g++ or CUDA's headers, JudgeError if the build fails.
    """
    compiler = shutil.which("g++")
    if compiler is None:
        raise ToolMissing("the system's C++ compiler, g++, is not installed", "type: sudo apt-get install g++")
    includes = find_toolkit().includes
    if not any((folder / "cuda_occupancy.h").is_file() for folder in includes):
        raise ToolMissing("CUDA's headers are not installed", "type: kgrade doctor")
    stubs = stub_text(entry_points(includes))
    key = _key(compiler, includes, stubs)
    program = cache / "recorder" / key / "recorder"
    if not program.is_file():
        say()
        with _alone(cache / "recorder"):
            # Another kgrade may have built it meanwhile.
            if not program.is_file():
                (build or _build)(compiler, includes, stubs, program)
    return program


def entry_points(includes: Sequence[Path]) -> tuple[str, ...]:
    """All functions of the CUDA runtime and driver declared by the headers in these folders, sorted."""
    names: set[str] = set()
    for name in _HEADERS:
        for folder in includes:
            if (folder / name).is_file():
                names.update(declared_in((folder / name).read_text(errors="replace")))
                break
    return tuple(sorted(names))


def declared_in(header: str) -> Iterable[str]:
    """The entry points that one header declares, with their per-thread-stream (_ptds, _ptsz) and versioned names."""
    names = {*_DECLARED.findall(header), *_RENAMED.findall(header)}
    for suffix, name in _PER_THREAD.findall(header):
        names |= {name, f"{name}_pt{suffix.lower()}"}
    return (name for name in names if _ENTRY_POINT.fullmatch(name))


def stub_text(names: Iterable[str]) -> str:
    """C code with a weak function for each name; the recorder's own definitions override them."""
    lines = ["void kgrade_unsupported(const char* name);"]
    lines += [f'__attribute__((weak)) void {name}(void) {{ kgrade_unsupported("{name}"); }}' for name in names]
    return "\n".join(lines) + "\n"


def _key(compiler: str, includes: Sequence[Path], stubs: str) -> str:
    digest = hashlib.sha256("\0".join([compiler, str(Path(compiler).stat().st_mtime_ns), *FLAGS, stubs]).encode())
    for source in sorted(SOURCES.iterdir()):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    for folder in includes:
        header = folder / "cuda_runtime_api.h"
        digest.update(str(header).encode())
        if header.is_file():
            # This header contains the version; the other headers belong to the same release.
            digest.update(header.read_bytes())
    return digest.hexdigest()[:32]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Allows one build in this folder at a time, because each takes all cores for ten seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "building.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(compiler: str, includes: Sequence[Path], stubs: str, program: Path) -> None:
    with tempfile.TemporaryDirectory(dir=program.parent.parent, prefix="building-") as folder:
        work = Path(folder)
        (work / "stubs.c").write_text(stubs)
        flags = [*FLAGS, *(f"-I{include}" for include in includes)]
        commands = [
            [compiler, *flags, "-c", str(source), "-o", str(work / f"{source.stem}.o")]
            for source in sorted(SOURCES.glob("*.cpp"))
        ]
        commands.append([compiler, "-x", "c", "-w", "-O1", "-c", str(work / "stubs.c"), "-o", str(work / "stubs.o")])
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            list(pool.map(_run, commands))
        objects = sorted(str(path) for path in work.glob("*.o"))
        built = work / "finished" / "recorder"
        built.parent.mkdir()
        _run([compiler, *objects, "-rdynamic", "-pthread", "-ldl", "-Wl,-z,now", "-o", str(built)])
        try:
            built.parent.rename(program.parent)
        except OSError as error:
            raise JudgeError(f"the recorder can't be kept: {error}", "type: kgrade doctor") from error


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    if done.returncode != 0:
        message = f"the recorder can't be built: {Path(command[0]).name} ended with {done.returncode}"
        raise JudgeError(message, done.stderr[-2000:])
