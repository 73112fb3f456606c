"""The confinements of the processes that run a submission's device code: what each sees besides Python and kgrade.

Of the workspace, that is only the problem's own files, without its worked submissions.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from grader import __version__
from grader.core.files import write_whole
from grader.core.paths import cache_folder
from grader.sandbox import Confinement, Profile, Sandbox

OWN_CODE = ("cupy", "own-kernels")
WORKED = "submissions"
"""The folder of a problem that no submission may see."""

_DEVICES = ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", "nvidia-caps")


def compute(sandbox: Sandbox, folder: Path) -> Confinement | None:
    """Returns the emulator's confinement, None without a sandbox; `folder` is the problem's."""
    if not sandbox.protects:
        return None
    return Confinement(sandbox, Profile.COMPUTE, given=files_of(folder))


def on_gpu(
    sandbox: Sandbox, folder: Path, profile: Profile = Profile.GPU, readable: Sequence[Path] = ()
) -> Confinement | None:
    """Returns the confinement of a process on a GPU, with NVIDIA's device files; None without a sandbox."""
    if not sandbox.protects:
        return None
    devices = sorted(path for pattern in _DEVICES for path in Path("/dev").glob(pattern))
    return Confinement(sandbox, profile, (*files_of(folder), *readable, *_drivers()), tuple(devices))


def _drivers() -> Iterator[Path]:
    """Yields folders of NVIDIA's driver outside of the system's: LD_LIBRARY_PATH names them in containers."""
    for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        if entry and Path(entry).is_dir():
            yield Path(entry)


def own_code() -> tuple[Path, ...]:
    """Returns the folders of compiled GPU kernels, kgrade's and CuPy's.

    A process gets copies, and compiles what is missing.
    """
    return tuple(cache_folder() / name for name in OWN_CODE)


def is_kept(problem: str, device: str) -> bool:
    """Returns whether the code that a process needs for this problem on this device is kept from an earlier one."""
    return _mark(problem, device).exists()


def keep_own_code(scratch: Path, problem: str, device: str) -> None:
    """Keeps what a process compiled while it rehearsed this problem, before it saw a submission."""
    for name in OWN_CODE:
        for file in (scratch / name).rglob("*"):
            kept = cache_folder() / file.relative_to(scratch)
            if file.is_file() and not file.is_symlink() and not kept.exists():
                # A missing cache is no error.
                with suppress(OSError):
                    write_whole(kept, file.read_bytes())

    with suppress(OSError):
        write_whole(_mark(problem, device), b"")


def _mark(problem: str, device: str) -> Path:
    name = hashlib.sha256(f"{__version__}\0{problem}\0{device}".encode()).hexdigest()
    return cache_folder() / OWN_CODE[-1] / f"rehearsed-{name}"


def files_of(folder: Path) -> tuple[Path, ...]:
    """Returns the files of a problem's folder that a process reads to make its inputs."""
    return tuple(sorted(path for path in folder.resolve().iterdir() if path.name != WORKED))
