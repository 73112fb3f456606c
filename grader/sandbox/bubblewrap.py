"""The command line that makes a sandbox by bubblewrap: namespaces, a small read-only file system, no rights.

It starts nothing, and sets no limits on what a program uses.
"""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.seccomp import Profile
from grader.sandbox.syscalls import MACHINES

NOBODY = 65534

_LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib", "/usr/local/lib64")
_SHOWN = {
    # Only what a dynamic loader needs: a recorded program has nothing else to start.
    Profile.RECORD: (*_LIBRARIES, "/etc/ld.so.cache"),
    # /etc/alternatives holds links from one name of a compiler to another.
    Profile.COMPILE: ("/usr", "/etc/ld.so.cache", "/etc/alternatives"),
}
_OLD_PLACES = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links into /usr, or folders of their own on systems that have not merged them."""


@dataclass(frozen=True)
class Place:
    """What a program sees at a path of the sandbox: a host's file or folder."""

    path: str
    host: Path
    writable: bool = False


def find_program() -> str | None:
    """bubblewrap's path, where this machine's kind is known too."""
    return shutil.which("bwrap") if platform.machine() in MACHINES else None


@functools.cache
def why_not(program: str, user: int | None) -> str:
    """What keeps bubblewrap from working here, started by that user or by this one; or nothing."""
    try:
        done = subprocess.run(
            [program, *_namespaces(program), *_file_system(Profile.COMPILE, ()), "--", "/bin/sh", "-c", ":"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={},
            cwd="/",
            timeout=10,
            user=user,
            group=user,
            extra_groups=None if user is None else (),
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else (said[-1] if said else f"exit code {done.returncode}")


def command_line(
    program: str, profile: Profile, places: Sequence[Place], filter_descriptor: int, status_descriptor: int
) -> list[str]:
    """What comes before the program and its arguments. The descriptors are the filter's and for bubblewrap's report."""
    descriptors = ["--seccomp", str(filter_descriptor), "--json-status-fd", str(status_descriptor)]
    return [program, *_namespaces(program), *_file_system(profile, places), *descriptors, "--"]


def _namespaces(program: str) -> list[str]:
    names = ["user", "pid", "net", "ipc", "uts", "cgroup-try"]
    options = [*(f"--unshare-{name}" for name in names), "--uid", str(NOBODY), "--gid", str(NOBODY)]
    options += ["--hostname", "sandbox", "--cap-drop", "ALL", "--die-with-parent", "--new-session"]
    # The filter refuses nested namespaces too; this is a second lock where bubblewrap is new enough.
    return [*options, "--disable-userns"] if "--disable-userns" in _help(program) else options


def _file_system(profile: Profile, places: Sequence[Place]) -> Iterator[str]:
    for path in _SHOWN[profile]:
        yield from ("--ro-bind-try", path, path)
    for old in map(Path, _OLD_PLACES):
        if old.is_symlink():
            yield from ("--symlink", str(old.readlink()), str(old))
        elif old.is_dir() and not (profile is Profile.RECORD and old.name.endswith("bin")):
            yield from ("--ro-bind", str(old), str(old))
    yield from ("--dev", "/dev")
    for place in places:
        yield from ("--bind" if place.writable else "--ro-bind", str(place.host), place.path)
    # bubblewrap's own folders are in memory, which nothing else would limit.
    for path in ("/dev", "/"):
        yield from ("--remount-ro", path)
    folder = next((place.path for place in places if place.writable), "/")
    yield from ("--chdir", folder)


@functools.cache
def _help(program: str) -> str:
    return subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10).stdout


def is_shown(path: Path, profile: Profile) -> bool:
    """Whether the sandbox shows this path in any case."""
    return any(path.is_relative_to(shown) for shown in _SHOWN[profile])


def places_of(
    readable: Sequence[Path], writable: Path | None, files: Mapping[str, Path], profile: Profile
) -> list[Place]:
    """Outer folders first: a folder that is bound later would hide what lies in it."""
    shown = [Place(str(path), path) for path in dict.fromkeys(readable) if not is_shown(path, profile)]
    shown += [Place(path, host) for path, host in files.items()]
    shown += [Place(str(writable), writable, writable=True)] if writable is not None else []
    return sorted(shown, key=lambda place: len(Path(place.path).parts))
