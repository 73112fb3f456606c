"""NVIDIA's compute-sanitizer: finds it, and builds the command that watches a process.

It starts nothing, and reads no log.
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
"""Starts the program that is watched. Wheels before 13.4 lack it and fail in use."""


MOST_FINDINGS = 256
"""A warp's worth of threads several times over; beyond it the log only grows."""

PADDING = 64 << 10
"""Bytes between two arrays, so that what lies beyond the end of one is not part of the next."""

OPTIONS = (
    *("--tool", "memcheck"),
    *("--padding", str(PADDING)),
    *("--print-limit", str(MOST_FINDINGS)),
    # Mangled names have neither spaces nor parentheses, so that a line of the log has only one reading.
    *("--demangle", "no"),
    *("--strip-paths", "yes"),
    *("--show-backtrace", "device"),
    # The runner itself reports refused launches; it also queries streams that are not ready yet.
    *("--report-api-errors", "no"),
    *("--target-processes", "application-only"),
    # The runner waits for its first request before it starts CUDA; the judge decides how long that may take.
    *("--launch-timeout", "0"),
    *("--require-cuda-init", "no"),
    *("--check-exit-code", "no"),
)


def find_sanitizer(system: Path = SYSTEM_TOOLKIT) -> Path | None:
    """Returns the program from the first place that has a usable one: PATH, the CUDA toolkit, the Python packages.

    None if there is none. `system` is the folder of a toolkit that no variable names.
    """
    return next((path for path in _candidates(system) if os.access(path, os.X_OK) and path.is_file()), None)


def watched(sanitizer: Path, log: Path) -> tuple[str, ...]:
    """Returns the prefix of a command that runs it under memcheck, which writes into the file `log`."""
    # In the name of a log file, % starts a placeholder.
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
