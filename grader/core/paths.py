"""Where kgrade keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where compiled kernels and crash logs go: KGRADE_CACHE, else the user's cache folder."""
    if named := os.environ.get("KGRADE_CACHE"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_cache_path

    return user_cache_path("kgrade", appauthor=False)


def place_cupy_cache() -> None:
    """To be called before CuPy is imported, which makes a folder then: in kgrade's cache, not in the home folder."""
    os.environ["CUPY_CACHE_DIR"] = str(cache_folder() / "cupy")
