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
    hint = "name another folder by KGRADE_CACHE; it is made if it is not there"
    if everybody_writes(folder):
        message = f"everybody on this machine can write to the cache {folder}"
        raise UsageError(message, f"type: chmod o-w {quote(str(folder))}, or {hint}")
    if is_anothers(folder):
        raise UsageError(f"the cache {folder} is another user's", hint)


def everybody_writes(folder: Path) -> bool:
    """Whether all users of this machine can put files into a folder; not if it isn't there."""
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False


def is_anothers(folder: Path) -> bool:
    """Whether a folder is of neither this user nor root, which only root may use all the same."""
    try:
        return os.getuid() != 0 and folder.stat().st_uid not in (0, os.getuid())
    except OSError:
        return False


def place_cupy_cache() -> None:
    """Points CuPy's cache into kgrade's. Call it before importing CuPy, which creates its cache folder on import."""
    os.environ["CUPY_CACHE_DIR"] = str(cache_folder() / "cupy")
