"""Builds bubblewrap's command line for a sandbox: namespaces, a small read-only file system, no capabilities.

It starts nothing and sets no resource limits.
"""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from grader.sandbox.places import HIDDEN, OF_PROCESSES, OLD_PLACES, SHOWN, View
from grader.sandbox.seccomp import Profile
from grader.sandbox.syscalls import MACHINES

NOBODY = 65534


def find_program() -> str | None:
    """The path of bubblewrap; None if it is missing or the machine's architecture is unknown."""
    return shutil.which("bwrap") if platform.machine() in MACHINES else None


def has_sized_folders(program: str) -> bool:
    """Whether this bubblewrap limits the size of a folder in memory (0.7.0 and later)."""
    return "--size" in _help(program)


@functools.cache
def why_not(program: str, user: int | None) -> str:
    """Why bubblewrap does not work here, started by `user` or else the current user; empty if it works."""
    try:
        done = subprocess.run(
            [program, *_namespaces(program), *_file_system(Profile.COMPILE, View()), "--", "/bin/sh", "-c", ":"],
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
    program: str, profile: Profile, view: View, filter_descriptor: int, status_descriptor: int
) -> list[str]:
    """The words before the program and its arguments. The descriptors are for the filter and bubblewrap's report."""
    descriptors = ["--seccomp", str(filter_descriptor), "--json-status-fd", str(status_descriptor)]
    return [program, *_namespaces(program), *_file_system(profile, view), *descriptors, "--"]


def template_command_line(program: str, profile: Profile, view: View) -> list[str]:
    """The same for a template of ours, whose forked processes create their own namespaces and load their own filter."""
    return [program, *_namespaces(program, nested=True), *_file_system(profile, view, processes=True), "--"]


def _namespaces(program: str, nested: bool = False) -> list[str]:
    names = ["user", "pid", "net", "ipc", "uts", "cgroup-try"]
    options = [*(f"--unshare-{name}" for name in names), "--uid", str(NOBODY), "--gid", str(NOBODY)]
    options += ["--hostname", "sandbox", "--cap-drop", "ALL", "--die-with-parent", "--new-session"]
    # The filter refuses nested namespaces too; this is a second barrier if bubblewrap is new enough.
    return [*options, "--disable-userns"] if not nested and "--disable-userns" in _help(program) else options


def _file_system(profile: Profile, view: View, processes: bool = False) -> Iterator[str]:
    for path in SHOWN[profile]:
        yield from ("--ro-bind-try", path, path)
    for old in map(Path, OLD_PLACES):
        if old.is_symlink():
            yield from ("--symlink", str(old.readlink()), str(old))
        elif old.is_dir() and not (profile is Profile.RECORD and old.name.endswith("bin")):
            yield from ("--ro-bind", str(old), str(old))
    yield from ("--dev", "/dev")
    if processes or profile in OF_PROCESSES:
        yield from ("--proc", "/proc")
        for path in _of_the_kernel():
            yield from ("--ro-bind", path, path)
    # bubblewrap's own folders are a tmpfs without limits, so they are made read-only.
    closed = ["/dev", "/"]
    shown = (*SHOWN[profile], *(place.path for place in view.places))
    if HIDDEN.is_dir() and any(HIDDEN.is_relative_to(path) for path in shown):
        closed.insert(0, str(HIDDEN))
    for place in view.places:
        if str(HIDDEN) in closed and Path(place.path).is_relative_to(HIDDEN):
            continue
        if place.size is not None:
            yield from ("--perms", "0700", "--size", str(place.size), "--tmpfs", place.path)
        else:
            yield from (place.option, str(place.host), place.path)
    if str(HIDDEN) in closed:
        yield from ("--tmpfs", str(HIDDEN))
        for place in view.places:
            if Path(place.path).is_relative_to(HIDDEN):
                yield from (place.option, str(place.host), place.path)
    for path in closed:
        yield from ("--remount-ro", path)
    yield from ("--chdir", view.folder)


def _of_the_kernel() -> Iterator[str]:
    """Yields the kernel's part of /proc, which user 0 may write without capabilities, such as core_pattern."""
    for path in sorted(Path("/proc").iterdir()):
        if not path.name.isdigit() and not path.is_symlink() and (path.is_dir() or path.stat().st_mode & 0o222):
            yield str(path)


@functools.cache
def _help(program: str) -> str:
    return subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10).stdout
