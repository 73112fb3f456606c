"""Packs the archive that Gradescope or Autolab asks for: scripts, settings, the problems, and kgrade's own wheel."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.autograders.run import SETTINGS, WORKSPACE, Settings
from grader.problem.loader import SOLUTIONS

FILES = Path(__file__).parent / "files"
MAKEFILE = "autograde-Makefile"
FOLDER = "autograder"
"""The folder in Autolab's tar, beside which the student's file is put."""


def to_zip(settings: Settings, problems: Mapping[str, Path], wheel: tuple[str, bytes], extra: str) -> bytes:
    """Gradescope's zip, with setup.sh and run_autograder at its root."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        scripts = ("setup.sh", "run_autograder")
        for name, data, mode in _contents(scripts, settings, problems, wheel, extra):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def to_tar(settings: Settings, problems: Mapping[str, Path], wheel: tuple[str, bytes], extra: str) -> bytes:
    """Autolab's autograde.tar, which the Makefile of `makefile` unpacks."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        scripts = ("setup.sh", "run_autolab")
        for name, data, mode in _contents(scripts, settings, problems, wheel, extra):
            entry = tarfile.TarInfo(f"{FOLDER}/{name}")
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def makefile() -> bytes:
    """The text of autograde-Makefile."""
    return (FILES / MAKEFILE).read_bytes()


def _contents(
    scripts: tuple[str, ...], settings: Settings, problems: Mapping[str, Path], wheel: tuple[str, bytes], extra: str
) -> Iterator[tuple[str, bytes, int]]:
    """Name, content and mode of each file."""
    for script in scripts:
        text = (FILES / script).read_text(encoding="utf-8")
        yield script, text.replace("@WHEEL@", wheel[0]).replace("@EXTRA@", extra).encode(), 0o755
    yield SETTINGS, settings.to_json().encode(), 0o644
    yield wheel[0], wheel[1], 0o644
    # Without a file, the folder that makes it a workspace would be lost.
    yield f"{WORKSPACE}/submissions/.keep", b"", 0o644
    for name, folder in problems.items():
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder)
            if path.is_file() and inner.parts[0] not in SOLUTIONS and "__pycache__" not in inner.parts:
                yield f"{WORKSPACE}/problems/{name}/{inner.as_posix()}", path.read_bytes(), 0o644
