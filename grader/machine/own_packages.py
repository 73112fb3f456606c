"""Packages that can't share the environment with kgrade's others: each has a folder of its own in the cache.

cuTile's compiler belongs to a later release of CUDA than the rest, whose libnvvm it can't use.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import ToolMissing
from grader.core.paths import cache_folder
from grader.core.verdict import LanguageName

FOLDER_VARIABLE = "KGRADE_PACKAGES"
"""Names the folder that has them, also to processes that see no other cache."""
SECONDS = 900.0
"""What downloading some hundred megabytes may take."""
_VERSION = "13.5.37"


@dataclass(frozen=True)
class OwnPackages:
    """Packages, the name of their folder, and the file in it for whose sake they are installed."""

    what: str
    folder: str
    packages: tuple[str, ...]
    proof: str

    @property
    def place(self) -> Path:
        """Their folder, below the user's cache: they are large, and the same for every grading."""
        return packages_folder() / f"{self.folder}-{_VERSION}"

    @property
    def file(self) -> Path:
        """The file for whose sake they are installed, whether it is there or not."""
        return self.place / self.proof

    def command(self, target: Path) -> list[str]:
        """The command, word by word, that installs these packages with pip into the folder `target`."""
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
        return [*pip, "--target", str(target), *self.packages]

    def missing(self) -> ToolMissing:
        """The error of one who needs them and can't install them."""
        return ToolMissing(f"{self.what} is not installed", f"type: {shlex.join(self.command(self.place))}")


TILEIRAS = OwnPackages(
    "cuTile's compiler, tileiras,",
    "tileiras",
    (f"nvidia-cuda-tileiras=={_VERSION}", f"nvidia-nvvm=={_VERSION}"),
    "nvidia/cu13/bin/tileiras",
)
TILE_ASSEMBLER = OwnPackages(
    "the ptxas that cuTile's kernels need for a GPU",
    "ptxas",
    (f"nvidia-cuda-nvcc=={_VERSION}",),
    "nvidia/cu13/bin/ptxas",
)
"""Files in a folder of their own: tileiras starts the ptxas beside it, and only without one that of PATH."""


def packages_folder() -> Path:
    """The folder of all of them: KGRADE_PACKAGES, else one in the user's cache."""
    return Path(os.environ.get(FOLDER_VARIABLE) or cache_folder() / "packages")


def packages_of(language: LanguageName, *, for_gpu: bool) -> tuple[OwnPackages, ...]:
    """What this language needs of them, on the emulator or on a GPU as well."""
    if language is not LanguageName.CUTILE:
        return ()
    return (TILEIRAS, TILE_ASSEMBLER) if for_gpu else (TILEIRAS,)


def install_once(own: OwnPackages, progress: Callable[[str], None]) -> Path:
    """Installs the packages if they are not yet there, and says so by `progress`; returns their folder.

    Raises ToolMissing where pip fails.
    """
    place = own.place
    if own.file.is_file():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with (place.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if own.file.is_file():
            return place
        progress(f"installing {own.what} once, in {place}")
        made = Path(tempfile.mkdtemp(dir=place.parent))
        try:
            done = subprocess.run(
                own.command(made), stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
            )
            if done.returncode or not (made / own.proof).is_file():
                raise own.missing()
            shutil.rmtree(place, ignore_errors=True)
            made.replace(place)
        except (OSError, subprocess.TimeoutExpired):
            raise own.missing() from None
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return place
