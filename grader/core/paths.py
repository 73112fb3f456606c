"""Where kgrade keeps its caches."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder for compiled kernels and crash logs: KGRADE_CACHE, else the user's cache folder."""
    if named := os.environ.get("KGRADE_CACHE"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_cache_path

    return user_cache_path("kgrade", appauthor=False)


def place_cupy_cache() -> None:
    """Points CuPy's cache into kgrade's. Call it before importing CuPy, which creates its cache folder on import."""
    os.environ["CUPY_CACHE_DIR"] = str(cache_folder() / "cupy")
