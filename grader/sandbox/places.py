"""The files that a sandboxed program sees: the system's libraries according to its profile, and what it is given.

Each kind of sandbox shows them in its own way, by mounts or by rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.seccomp import Profile

_LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib", "/usr/local/lib64")
_SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/alternatives")
"""/etc/alternatives contains links between names of programs and libraries."""

SHOWN: Mapping[Profile, tuple[str, ...]] = {
    # Only what the dynamic loader needs: a recorded program starts nothing else.
    Profile.RECORD: (*_LIBRARIES, "/etc/ld.so.cache"),
    Profile.COMPILE: _SYSTEM,
    Profile.COMPUTE: _SYSTEM,
    # CUDA's driver queries the machine there.
    **dict.fromkeys((Profile.GPU, Profile.WATCHED), (*_SYSTEM, "/sys/devices/system", "/sys/bus/pci")),
}

_OF_THE_MACHINE = (
    *("/proc/driver/nvidia", "/proc/devices", "/proc/meminfo", "/proc/cpuinfo", "/proc/modules", "/proc/version"),
)
OF_PROCESSES: Mapping[Profile, tuple[str, ...]] = {
    # CUDA's driver names its threads through /proc/self/task/…/comm, and fails if it can't; and it queries itself.
    Profile.GPU: _OF_THE_MACHINE,
    Profile.WATCHED: _OF_THE_MACHINE,
}
"""Profiles whose programs see /proc: a new one in namespaces, else their own part of it, writable, and these paths."""

OLD_PLACES = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr, or separate folders on systems without merged /usr."""

HIDDEN = Path(__file__).resolve().parents[1] / "builtin"
"""The problems with their worked submissions, which an installed package contains within the shown folders."""


@dataclass(frozen=True)
class Place:
    """A host's file or folder, shown at a path in the sandbox.

    With a `size` it is an empty folder in memory for so many bytes, where the sandbox can make one.
    """

    path: str
    host: Path
    writable: bool = False
    device: bool = False
    size: int | None = None

    @property
    def option(self) -> str:
        """bubblewrap's option for this place."""
        if self.device:
            return "--dev-bind"
        return "--bind" if self.writable else "--ro-bind"


@dataclass(frozen=True)
class View:
    """The places in addition to the system's, outer folders first, because a later mount hides what is inside it."""

    places: tuple[Place, ...] = ()

    @property
    def folder(self) -> str:
        """The working directory: the writable folder if there is one, else /."""
        return next((place.path for place in self.places if place.writable), "/")


def view_of(
    profile: Profile,
    readable: Sequence[Path] = (),
    writable: Path | None = None,
    files: Mapping[str, Path] | None = None,
    devices: Sequence[Path] = (),
    size: int | None = None,
) -> View:
    """A view of these places, without those that the profile shows anyway; `size` is that of `writable` in memory."""
    system = [Path(path) for path in SHOWN[profile]]
    shown = [Place(str(path), path) for path in dict.fromkeys(readable) if not _within(path, system)]
    shown += [Place(path, host) for path, host in (files or {}).items()]
    shown += [Place(str(path), path, device=True) for path in devices]
    shown += [Place(str(writable), writable, writable=True, size=size)] if writable is not None else []
    return View(tuple(sorted(shown, key=lambda place: len(Path(place.path).parts))))


def _within(path: Path, shown: Iterable[Path]) -> bool:
    return any(path.is_relative_to(one) for one in shown) and not path.is_relative_to(HIDDEN)


def open_paths(paths: Iterable[Path], hidden: Path = HIDDEN) -> Iterator[Path]:
    """Yields the paths without `hidden`, for rules that open folders with all their contents."""
    for path in paths:
        if not hidden.is_relative_to(path) or not hidden.exists():
            yield path
        elif path != hidden:
            yield from open_paths(sorted(path.iterdir()), hidden)
