"""What of the machine's files a sandboxed program sees: the system's libraries by its profile, and what it is given.

It starts nothing. Whether a place is shown by a mount or opened by a rule is for the kinds of sandbox to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.seccomp import Profile

_LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib", "/usr/local/lib64")
_SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/alternatives")
"""/etc/alternatives holds links from one name of a program or library to another."""

SHOWN: Mapping[Profile, tuple[str, ...]] = {
    # Only what a dynamic loader needs: a recorded program has nothing else to start.
    Profile.RECORD: (*_LIBRARIES, "/etc/ld.so.cache"),
    Profile.COMPILE: _SYSTEM,
    Profile.COMPUTE: _SYSTEM,
    # What CUDA's driver asks about the machine.
    **dict.fromkeys((Profile.GPU, Profile.WATCHED), (*_SYSTEM, "/sys/devices/system", "/sys/bus/pci")),
}

_OF_THE_MACHINE = (
    *("/proc/driver/nvidia", "/proc/devices", "/proc/meminfo", "/proc/cpuinfo", "/proc/modules", "/proc/version"),
)
OF_PROCESSES: Mapping[Profile, tuple[str, ...]] = {
    # CUDA's driver names its threads by /proc/self/task/…/comm, and fails where it can't; and it asks about itself.
    Profile.GPU: _OF_THE_MACHINE,
    Profile.WATCHED: _OF_THE_MACHINE,
}
"""Profiles whose programs see /proc: in namespaces a new one; else their own part of it, to be written, and these."""

OLD_PLACES = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr, or folders of their own on systems that have not merged them."""

HIDDEN = Path(__file__).resolve().parents[1] / "builtin"
"""The problems with their worked submissions, where kgrade is installed as a package: inside of what is shown."""


@dataclass(frozen=True)
class Place:
    """What a program sees at a path of the sandbox: a host's file or folder."""

    path: str
    host: Path
    writable: bool = False
    device: bool = False

    @property
    def option(self) -> str:
        """bubblewrap's."""
        if self.device:
            return "--dev-bind"
        return "--bind" if self.writable else "--ro-bind"


@dataclass(frozen=True)
class View:
    """The places beside the system's, outer folders first: one that is mounted later would hide what lies in it."""

    places: tuple[Place, ...] = ()

    @property
    def folder(self) -> str:
        """Where a program starts: where it may write, if it may anywhere."""
        return next((place.path for place in self.places if place.writable), "/")


def view_of(
    profile: Profile,
    readable: Sequence[Path] = (),
    writable: Path | None = None,
    files: Mapping[str, Path] | None = None,
    devices: Sequence[Path] = (),
) -> View:
    """A view of these places; what the profile shows anyhow is left out."""
    system = [Path(path) for path in SHOWN[profile]]
    shown = [Place(str(path), path) for path in dict.fromkeys(readable) if not _within(path, system)]
    shown += [Place(path, host) for path, host in (files or {}).items()]
    shown += [Place(str(path), path, device=True) for path in devices]
    shown += [Place(str(writable), writable, writable=True)] if writable is not None else []
    return View(tuple(sorted(shown, key=lambda place: len(Path(place.path).parts))))


def _within(path: Path, shown: Iterable[Path]) -> bool:
    return any(path.is_relative_to(one) for one in shown) and not path.is_relative_to(HIDDEN)


def open_paths(paths: Iterable[Path], hidden: Path = HIDDEN) -> Iterator[Path]:
    """The same paths without what is `hidden`, for rules that open folders with all that lies in them."""
    for path in paths:
        if not hidden.is_relative_to(path) or not hidden.exists():
            yield path
        elif path != hidden:
            yield from open_paths(sorted(path.iterdir()), hidden)
