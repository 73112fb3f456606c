"""Waiting for a file to be saved, however an editor does that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def saves(path: Path) -> Iterator[None]:
    """Yield once at first and then after each change of `path`.

    The folder is watched, not the file: most editors save by putting a new file in the old one's place.
    """
    from watchfiles import watch

    yield None
    wanted = path.name
    for _ in watch(
        path.absolute().parent,
        watch_filter=lambda _change, changed: Path(changed).name == wanted and Path(changed).is_file(),
        recursive=False,
        debounce=300,
        step=50,
    ):
        yield None
