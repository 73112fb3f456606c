"""NVIDIA's compute-sanitizer: where it is installed, and how it is asked to watch a process.

It starts nothing. What comes out is read elsewhere.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from grader.machine.cuda_packages import SYSTEM_TOOLKIT

NAME = "compute-sanitizer"

LAUNCHER = "TreeLauncherSubreaper"
"""Starts the program that is watched. Wheels before 13.4 lack it and fail when they are used."""


MOST_FINDINGS = 256
"""A warp's worth of threads several times over; beyond it the log only grows."""

PADDING = 64 << 10
"""Bytes between two arrays, so that what lies beyond the end of one is no part of the next."""

OPTIONS = (
    *("--tool", "memcheck"),
    *("--padding", str(PADDING)),
    *("--print-limit", str(MOST_FINDINGS)),
    # Mangled names have neither spaces nor parentheses, so that a line of the log is read in one way only.
    *("--demangle", "no"),
    *("--strip-paths", "yes"),
    *("--show-backtrace", "device"),
    # A refused launch is told by the runner itself, which also asks streams that are not ready yet.
    *("--report-api-errors", "no"),
    *("--target-processes", "application-only"),
    # The runner waits for its first request before it starts CUDA; how long that may take is the judge's to say.
    *("--launch-timeout", "0"),
    *("--require-cuda-init", "no"),
    *("--check-exit-code", "no"),
)


def find_sanitizer(system: Path = SYSTEM_TOOLKIT) -> Path | None:
    """The program, of the first place that has a usable one: PATH, the CUDA toolkit, the Python packages.

    `system` is the folder of a toolkit that no variable names.
    """
    return next((path for path in _candidates(system) if os.access(path, os.X_OK) and path.is_file()), None)


def watched(sanitizer: Path, log: Path) -> tuple[str, ...]:
    """What comes before a command so that it runs under memcheck, which writes into the file `log`."""
    # In the name of a log file % begins a placeholder.
    return (str(sanitizer), *OPTIONS, "--log-file", str(log).replace("%", "%%"))


def _candidates(system: Path) -> Iterator[Path]:
    found = shutil.which(NAME)
    if found is not None:
        yield Path(found)
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "bin" / NAME
    yield system / "bin" / NAME
    spec = find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        # The folder moves between versions of the wheel.
        for path in sorted(Path(place).rglob(NAME), reverse=True):
            if (path.parent / LAUNCHER).is_file():
                yield path
