"""How one of kgrade's own Python processes is confined: its sandbox, what it sees, and how much it may use.

The process itself, and what is said to it, is `grader.sandbox.children`'s.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.limits import SandboxLimits
from grader.sandbox.places import view_of
from grader.sandbox.python import python_command, python_places, search_path
from grader.sandbox.sandbox import CONFINED, Sandbox, Started
from grader.sandbox.seccomp import Profile

_KEPT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX", "PYTHONDONTWRITEBYTECODE")

UNLIMITED = SandboxLimits(memory=None, cpu_seconds=None, file_bytes=None, descriptors=256)
"""For a process that limits its own memory before it reads anything, and whose time the judge limits."""


@dataclass(frozen=True)
class Confinement:
    """What a Python process is started with. `readable` and `devices` are shown beside Python and kgrade, and
    `given` files too: a process that a template forks gets copies of those.
    """

    sandbox: Sandbox
    profile: Profile
    readable: tuple[Path, ...] = ()
    devices: tuple[Path, ...] = ()
    limits: SandboxLimits = UNLIMITED
    given: tuple[Path, ...] = ()

    def start(
        self,
        module: str,
        arguments: Sequence[str],
        prefix: Sequence[str],
        environment: Mapping[str, str],
        descriptors: Sequence[int],
        stderr: int,
        writable: Path | None,
    ) -> Started:
        """Start one of kgrade's modules, with these descriptors kept open in it; `prefix` runs it, as for a Child.

        `writable` is the one folder that it may write to, and where it works.
        """
        return self.sandbox.open(
            [*prefix, *python_command(module), *arguments],
            view_of(self.profile, (*python_places(), *self.readable, *self.given), writable, devices=self.devices),
            self.profile,
            self.limits,
            self.environment(environment, writable),
            descriptors=descriptors,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )

    def environment(self, more: Mapping[str, str], writable: Path | None) -> dict[str, str]:
        """What the process knows of this one's environment, and `more`."""
        known = {name: os.environ[name] for name in _KEPT if name in os.environ}
        home = {"HOME": str(writable)} if writable is not None else {}
        return {
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            **known,
            **home,
            "PYTHONPATH": os.pathsep.join(search_path()),
            **more,
            CONFINED: self.sandbox.name,
        }


def make_folder(copies: Sequence[Path] = ()) -> Path:
    """A folder for a child to write to, which begins with copies of these folders. Remove it by `remove_folder`."""
    folder = Path(tempfile.mkdtemp(prefix="kgrade-")).resolve()
    for original in copies:
        with suppress(FileNotFoundError):
            shutil.copytree(original, folder / original.name)
    return folder


def remove_folder(folder: Path) -> None:
    """What a child has left goes, however deep or closed it is."""
    beside = Path(tempfile.mkdtemp(prefix="kgrade-", dir=folder.parent))
    waiting, numbers = [folder], itertools.count()
    while waiting:
        one = waiting.pop()
        # What can't be removed stays; it is no reason to end a grading.
        with suppress(OSError):
            one.chmod(0o700)
            with os.scandir(one) as entries:
                for entry in entries:
                    path = Path(entry.path)
                    if not entry.is_dir(follow_symlinks=False):
                        path.unlink()
                        continue
                    # Folders come up before they are looked into, so that no path grows long.
                    path.chmod(0o700)
                    waiting.append(path.rename(beside / str(next(numbers))))
            one.rmdir()
    with suppress(OSError):
        beside.rmdir()
