"""Where kgrade keeps its caches."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from shlex import quote

from grader.core.errors import UsageError


def cache_folder() -> Path:
    """The folder for compiled kernels and crash logs: KGRADE_CACHE, else the user's cache folder.

    Raises UsageError if other users can write there: compiled code of theirs would be run, and verdicts follow from it.
    """
    if named := os.environ.get("KGRADE_CACHE"):
        folder = Path(named).expanduser().absolute()
    else:
        from platformdirs import user_cache_path

        folder = user_cache_path("kgrade", appauthor=False)
    # A confined process has a folder of its own, in which users have other numbers.
    if "KGRADE_CONFINED" not in os.environ:
        _refuse_others(folder)
    return folder


def _refuse_others(folder: Path) -> None:
    try:
        found = folder.stat()
    except OSError:
        return
    hint = "name another folder by KGRADE_CACHE; it is made if it is not there"
    if found.st_mode & stat.S_IWOTH:
        message = f"everybody on this machine can write to the cache {folder}"
        raise UsageError(message, f"type: chmod o-w {quote(str(folder))}, or {hint}")
    if os.getuid() != 0 and found.st_uid not in (0, os.getuid()):
        raise UsageError(f"the cache {folder} is another user's", hint)


def place_cupy_cache() -> None:
    """Points CuPy's cache into kgrade's. Call it before importing CuPy, which creates its cache folder on import."""
    os.environ["CUPY_CACHE_DIR"] = str(cache_folder() / "cupy")
