"""The confinements of the processes that run a submission's device code: what each sees beside Python and kgrade.

Of the workspace that is the problem's own files alone, without its worked submissions.
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
    """The emulator's; `folder` is the problem's. None where there is no sandbox."""
    if not sandbox.protects:
        return None
    return Confinement(sandbox, Profile.COMPUTE, given=files_of(folder))


def on_gpu(
    sandbox: Sandbox, folder: Path, profile: Profile = Profile.GPU, readable: Sequence[Path] = ()
) -> Confinement | None:
    """The same for a process on a GPU, which has the device files of NVIDIA's driver besides."""
    if not sandbox.protects:
        return None
    devices = sorted(path for pattern in _DEVICES for path in Path("/dev").glob(pattern))
    return Confinement(sandbox, profile, (*files_of(folder), *readable, *_drivers()), tuple(devices))


def _drivers() -> Iterator[Path]:
    """Folders of NVIDIA's driver that are not the system's own: LD_LIBRARY_PATH names them in containers."""
    for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        if entry and Path(entry).is_dir():
            yield Path(entry)


def own_code() -> tuple[Path, ...]:
    """The folders of kgrade's and CuPy's own kernels for GPUs: a process gets copies, and compiles what is missing."""
    return tuple(cache_folder() / name for name in OWN_CODE)


def is_kept(problem: str, device: str) -> bool:
    """Whether the code that a process needs for this problem on this device is kept from an earlier one."""
    return _mark(problem, device).exists()


def keep_own_code(scratch: Path, problem: str, device: str) -> None:
    """Keep what a process compiled that has rehearsed this problem and seen no submission yet."""
    for name in OWN_CODE:
        for file in (scratch / name).rglob("*"):
            kept = cache_folder() / file.relative_to(scratch)
            if file.is_file() and not file.is_symlink() and not kept.exists():
                # No cache is no error.
                with suppress(OSError):
                    write_whole(kept, file.read_bytes())

    with suppress(OSError):
        write_whole(_mark(problem, device), b"")


def _mark(problem: str, device: str) -> Path:
    name = hashlib.sha256(f"{__version__}\0{problem}\0{device}".encode()).hexdigest()
    return cache_folder() / OWN_CODE[-1] / f"rehearsed-{name}"


def files_of(folder: Path) -> tuple[Path, ...]:
    """What of a problem's folder a process reads that makes its inputs."""
    return tuple(sorted(path for path in folder.resolve().iterdir() if path.name != WORKED))
