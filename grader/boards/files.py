"""Writes pages atomically; after a failure the old ones are still there."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from grader.core.errors import WorkspaceError

STAGE = ".kgrade-stage-"
STALE_SECONDS = 3600.0


def write_files(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    """Writes (name, text) pairs below `folder`: all to a staging folder first, then each is moved into place.

    They are moved in the given order, so a page should come after those that it links to. If making or writing a text
    fails, nothing in the folder has changed. Raises WorkspaceError.
    """
    with _explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _remove_left_over(folder)
        stage = Path(tempfile.mkdtemp(prefix=STAGE, dir=folder))
        try:
            names = []
            for name, text in files:
                (stage / name).parent.mkdir(parents=True, exist_ok=True)
                (stage / name).write_text(text, encoding="utf-8", newline="\n")
                names.append(name)
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (stage / name).replace(folder / name)
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def _remove_left_over(folder: Path) -> None:
    """Removes staging folders left by killed processes. A recent one may belong to a running process."""
    for stage in folder.glob(f"{STAGE}*"):
        if time.time() - stage.stat().st_mtime > STALE_SECONDS:
            shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WorkspaceError(
            f"pages can't be written to {folder}: {error.strerror or error}; the old ones are kept",
            f"free some space or make it writable (df -h {quote(str(folder))}), or choose another folder: "
            "kgrade leaderboard --html DIR",
        ) from error
