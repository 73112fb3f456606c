"""The wheel of this kgrade, for students to install: built from the clone that runs, or packed from installed files.

Worked submissions, exercises and editorials of problems are left out, because an instructor's clone may hold
problems of the contest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import Distribution
from pathlib import Path, PurePosixPath

from grader.core import toml
from grader.core.errors import JudgeError, KgradeError, ToolMissing
from grader.machine.own_install import clone_of, extra_command, own_distribution
from grader.problem.loader import SOLUTIONS

BUILD_SECONDS = 120.0
_READ = ("pyproject.toml", "README.md", "LICENSE")
"""What building reads beside what it packs."""


@dataclass(frozen=True)
class Wheel:
    name: str
    content: bytes

    @property
    def digest(self) -> str:
        return sha256(self.content).hexdigest()


class ClientWheel:
    """The wheel, made when it is first asked for and kept until the server ends.

    `clone` is the folder to build it from; by default that of the running kgrade, or none for its installed files.
    """

    def __init__(self, clone: Path | None = None) -> None:
        self._clone = clone or clone_of()
        self._lock = threading.Lock()
        self._made: Wheel | KgradeError | None = None

    def get(self) -> Wheel:
        """Returns the wheel. Raises a KgradeError that says why there is none, the same one each time.

        While another request makes it, nobody waits: a server's few threads would all be taken.
        """
        if self._made is None:
            if not self._lock.acquire(blocking=False):
                raise JudgeError("this server makes its wheel of kgrade just now", "load the page again in a minute")
            try:
                self._made = self._made or self._make()
            finally:
                self._lock.release()
        if isinstance(self._made, KgradeError):
            raise self._made
        return self._made

    def _make(self) -> Wheel | KgradeError:
        try:
            return _build(self._clone) if self._clone else _pack(own_distribution())
        except KgradeError as error:
            return error


def _build(clone: Path) -> Wheel:
    """Builds the wheel of a clone by its own build system, without network."""
    with tempfile.TemporaryDirectory(prefix="kgrade-wheel-") as name:
        sources, made = Path(name) / "sources", Path(name) / "made"
        sources.mkdir()
        for part in (*_READ, *packed(clone)):
            (sources / part).parent.mkdir(parents=True, exist_ok=True)
            if (clone / part).is_dir():
                shutil.copytree(clone / part, sources / part, ignore=_left_out(clone / "problems"))
            else:
                shutil.copyfile(clone / part, sources / part)
        _run("build", "--wheel", "--no-isolation", "--outdir", str(made), str(sources))
        return _only_in(made)


def packed(clone: Path) -> list[str]:
    """The files and folders that pyproject.toml puts into the wheel. Raises JudgeError."""
    try:
        wheel = toml.loads((clone / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
        return [*wheel["only-include"], *wheel["force-include"]]
    except (OSError, ValueError, KeyError, TypeError):
        words = "this server can't make a wheel of kgrade: its pyproject.toml does not say what to pack"
        raise JudgeError(words, "take the clone's own: git checkout pyproject.toml") from None


def _pack(installed: Distribution | None) -> Wheel:
    """Packs the files that were installed from a wheel into a wheel again."""
    if installed is None or not installed.files:
        raise ToolMissing(
            "this server has no wheel of kgrade: its files were installed without a list of them",
            "install kgrade by pip, from a clone or a wheel",
        )
    with tempfile.TemporaryDirectory(prefix="kgrade-wheel-") as name:
        tree, made = Path(name) / "tree", Path(name) / "made"
        made.mkdir()
        for file in installed.files:
            if _is_packed(file):
                place = tree / file
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(installed.locate_file(file)), place)
        _run("wheel", "pack", "--dest-dir", str(made), str(tree))
        return _only_in(made)


def _left_out(problems: Path) -> Callable[[str, list[str]], set[str]]:
    """Returns what copytree is to leave out: compiled files, and the solutions of each problem in `problems`."""

    def choose(folder: str, names: list[str]) -> set[str]:
        solutions = SOLUTIONS if Path(folder).parent == problems else ()
        return {name for name in names if name == "__pycache__" or name in solutions}

    return choose


def _is_packed(file: PurePosixPath) -> bool:
    """Whether an installed file was in the wheel; the installer adds its own, and programs outside of the packages."""
    if ".." in file.parts or "__pycache__" in file.parts or file.is_absolute():
        return False
    if file.parts[0].endswith(".dist-info"):
        return file.name not in ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD")
    return not (file.parts[:3] == ("grader", "builtin", "problems") and file.parts[4:5] and file.parts[4] in SOLUTIONS)


def _run(module: str, *arguments: str) -> None:
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise JudgeError(f"no wheel of kgrade after {BUILD_SECONDS:.0f} s", "start the server again") from None
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        why = said[-1][:300] if said else f"ended with {done.returncode}"
        raise ToolMissing(f"this server can't make a wheel of kgrade: {why}", f"type: {extra_command('server')}")


def _only_in(folder: Path) -> Wheel:
    (path,) = folder.glob("*.whl")
    return Wheel(path.name, path.read_bytes())
