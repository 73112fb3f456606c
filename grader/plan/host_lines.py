"""Maps offsets in a submission's library to source lines, with binutils' addr2line in the sandbox.

The submission controls its line table, so a wrong line misleads only its author.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from grader.compile.program import Program
from grader.sandbox import Profile, Sandbox, SandboxLimits

SECONDS = 5.0
LINE_LIMIT = 1_000_000
_PLACES_LIMIT = 800

_PLACE = re.compile(r"(?P<file>.*):(?P<line>\d{1,7})(?: \(discriminator \d+\))?")


def source_lines(program: Program, calls: Sequence[Sequence[int]], sandbox: Sandbox) -> list[int | None]:
    """For each call, the innermost line of the submitted file on its call stack; None if unknown.

    A call is given as offsets in the library, innermost first.
    """
    wanted = tuple(dict.fromkeys(offset for at in calls for offset in at))[:_PLACES_LIMIT]
    if not wanted or not program.shared_object:
        return [None] * len(calls)
    # A <<<>>> launch goes through a stub that nvcc generates, whose lines are those of the kernel's head.
    wrappers = frozenset(kernel.symbol for kernel in program.kernels)
    found = _ask(program.shared_object, wanted, sandbox, wrappers)
    return [next((found[offset] for offset in at if offset in found), None) for at in calls]


@contextmanager
def shown_library(library: bytes) -> Iterator[Path]:
    """Yields the path of a temporary file with the library that other users can read too."""
    with tempfile.TemporaryDirectory(prefix="kgrade-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        path = folder / "library.so"
        path.write_bytes(library)
        path.chmod(0o644)
        yield path


@lru_cache(maxsize=8)
def _ask(library: bytes, offsets: tuple[int, ...], sandbox: Sandbox, wrappers: frozenset[str]) -> Mapping[int, int]:
    program = shutil.which("addr2line")
    if program is None:
        return {}
    with shown_library(library) as path:
        command = [program, "-a", "-f", "-i", "-e", str(path), *map(hex, offsets)]
        process = sandbox.start(
            command, readable=[path], limits=SandboxLimits(output_bytes=1 << 20), profile=Profile.COMPILE
        )
        with process:
            ended = process.wait(SECONDS)
    return dict(_read(ended.output.splitlines(), wrappers)) if ended.ok else {}


def _read(output: Iterable[str], wrappers: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yields (offset, line) for each offset that has a line.

    addr2line prints an address, then pairs of function and place, innermost first.
    """
    offset, done, function = 0, True, None
    for text in output:
        if re.fullmatch(r"0x[0-9a-f]{1,16}", text):
            offset, done, function = int(text, 16), False, None
        elif function is None:
            function = text
        else:
            match = _PLACE.fullmatch(text)
            own = match is not None and match["file"].endswith(".cu") and 0 < int(match["line"]) <= LINE_LIMIT
            if match and own and not done and not _is_wrapper(function, wrappers):
                yield offset, int(match["line"])
                done = True
            function = None


def _is_wrapper(function: str, wrappers: frozenset[str]) -> bool:
    return function in wrappers or function.startswith("__device_stub__")
