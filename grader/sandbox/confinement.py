"""The confinement of kgrade's own Python processes: sandbox, visible files, and limits.

`grader.sandbox.children` runs the processes.
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
"""The limits of a process that limits its own memory before it reads anything, and whose time the judge limits."""


@dataclass(frozen=True)
class Confinement:
    """The confinement of one process. `readable` and `devices` are shown in addition to Python and kgrade, and so are
    `given` files, of which a process forked from a template gets copies.
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
        size: int | None = None,
    ) -> Started:
        """Starts one of kgrade's modules with these descriptors kept open; `prefix` is as for a Child.

        `writable` is the only folder that it may write to, and its working directory. With a `size` in bytes it is
        another one in memory, at the same path.
        """
        return self.sandbox.open(
            [*prefix, *python_command(module), *arguments],
            view_of(
                *(self.profile, (*python_places(), *self.readable, *self.given), writable),
                devices=self.devices,
                size=size,
            ),
            self.profile,
            self.limits,
            self.environment(environment, writable),
            descriptors=descriptors,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )

    def environment(self, more: Mapping[str, str], writable: Path | None) -> dict[str, str]:
        """The process's environment: a few variables of this process, and `more`."""
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
    """Creates a folder for a child to write to, with copies of these folders. Remove it with `remove_folder`."""
    folder = Path(tempfile.mkdtemp(prefix="kgrade-")).resolve()
    for original in copies:
        with suppress(FileNotFoundError):
            shutil.copytree(original, folder / original.name, copy_function=_copy_if_there)
    return folder


def _copy_if_there(source: str, target: str) -> None:
    """Copies a file. A cache's other users make files beside the ones that they keep, and remove them."""
    with suppress(FileNotFoundError):
        shutil.copy2(source, target)


def remove_folder(folder: Path) -> None:
    """Removes a child's folder, however deeply nested or protected its contents are."""
    beside = Path(tempfile.mkdtemp(prefix="kgrade-", dir=folder.parent))
    waiting, numbers = [folder], itertools.count()
    while waiting:
        one = waiting.pop()
        # What can't be removed stays; that must not fail a grading.
        with suppress(OSError):
            one.chmod(0o700)
            with os.scandir(one) as entries:
                for entry in entries:
                    path = Path(entry.path)
                    if not entry.is_dir(follow_symlinks=False):
                        path.unlink()
                        continue
                    # Folders are moved up before they are read, so that no path gets too long.
                    path.chmod(0o700)
                    waiting.append(path.rename(beside / str(next(numbers))))
            one.rmdir()
    with suppress(OSError):
        beside.rmdir()
