"""Runs inside the sandbox, tries to escape, to find things or to use too much, and prints a line for each success.

Started by check.py as a separate program with Python's standard library only. No line after "tried" means that
everything was refused. Successes do no harm: they are undone, or fail for another reason than a refusal.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

TRIED = "tried"

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWUSER = 0x10000000
_CLONE = {"x86_64": 56, "aarch64": 220}
_PTRACE_SEIZE, _PTRACE_UNKNOWN = 0x4206, 0xFFFF
_NO_NEW_PRIVILEGES = 39

_HIDDEN = (
    *("/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/cmdline", "/sys/kernel", "/var/log", "/var/lib"),
    *("/run/systemd", "/boot/grub", "/dev/sda", "/dev/vda", "/dev/nvidia0", "/dev/nvidiactl", "/dev/mem"),
)
_EXPECTED_VARIABLES = {"PATH", "LC_ALL", "LC_CTYPE", "PWD", "OLDPWD", "_"}
_SETTINGS = (Path("/proc/sys/kernel/core_pattern"), Path("/proc/irq/default_smp_affinity"), Path("/proc/pressure/cpu"))
"""The kernel's settings, which user 0 may write without capabilities."""
_OWN_NAMESPACE = 8
"""In its own process namespace, a program's id is one of the first."""


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, RuntimeError, MemoryError):
        return False
    return True


def _refused(call: Callable[[], int]) -> bool:
    """Returns whether a call that fails anyway does so for lack of permission (EPERM)."""
    ctypes.set_errno(0)
    return call() != 0 and ctypes.get_errno() == errno.EPERM


def _network(_: list[str]) -> Iterator[str]:
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):
        kind = socket.SOCK_RAW if family == socket.AF_NETLINK else socket.SOCK_STREAM
        if _works(lambda family=family, kind=kind: socket.socket(family, kind).close()):  # type: ignore[misc]
            yield f"a socket of {family.name}"
    try:
        with socket.socket(socket.AF_UNIX) as local:
            local.connect("\0kgrade-nowhere")
    except OSError as error:
        # A socket that can't connect reaches nobody; CUDA's driver needs one.
        if error.errno != errno.EPERM:
            yield f"a connection of AF_UNIX ({error.strerror})"


def _files(more: list[str]) -> Iterator[str]:
    yield from (path for path in (*_HIDDEN, *more) if os.path.lexists(path))


def _reading(more: list[str]) -> Iterator[str]:
    """Tries to read files. A program's own part of /proc, if it has one, reveals nothing new to it."""
    for path in (*(path for path in _HIDDEN if not path.startswith("/proc/")), *more):
        if _works(lambda path=path: os.close(os.open(path, os.O_RDONLY))):  # type: ignore[misc]
            yield path


def _writing(more: list[str]) -> Iterator[str]:
    for folder in ("/", "/usr", "/usr/lib", "/etc", "/dev", "/dev/shm", "/tmp", *more):
        file = Path(folder) / f"kgrade-probe-{os.getpid()}"
        if _works(file.touch):
            file.unlink()
            yield folder
    for file in _SETTINGS:
        if _works(lambda file=file: file.open("a").close()):  # type: ignore[misc]
            yield str(file)


def _processes(numbers: list[str]) -> Iterator[str]:
    if max(os.getpid(), os.getppid()) > _OWN_NAMESPACE:
        yield f"number {os.getpid()} among the host's processes"
    yield from _reaching(numbers)


def _reaching(numbers: list[str]) -> Iterator[str]:
    alone = max(os.getpid(), os.getppid()) <= _OWN_NAMESPACE
    for number in map(int, numbers):
        if alone and number <= _OWN_NAMESPACE:
            # A judge started by the system has parent 1; in the namespace that is one of the sandbox's own processes.
            continue
        if _LIBC.ptrace(_PTRACE_SEIZE, number, None, None) == 0 or _works(lambda number=number: os.kill(number, 0)):  # type: ignore[misc]
            yield f"process {number}"
        if _works(lambda number=number: resource.prlimit(number, resource.RLIMIT_CORE)):  # type: ignore[misc]
            yield f"the limits of process {number}"
    if not _refused(lambda: _LIBC.ptrace(_PTRACE_UNKNOWN, 0, None, None)):
        yield "ptrace()"


def _environment(_: list[str]) -> Iterator[str]:
    yield from sorted(set(os.environ) - _EXPECTED_VARIABLES)


def _environments(_: list[str]) -> Iterator[str]:
    """Checks its own environment and those of the visible processes, which include that of its starter."""
    yield from _environment([])
    folders: list[Path] = []
    with suppress(OSError):
        folders += Path("/proc").iterdir()
    for folder in folders:
        text = b""
        if folder.name.isdigit():
            with suppress(OSError):
                text = (folder / "environ").read_bytes()
        names = {entry.partition(b"=")[0].decode(errors="replace") for entry in text.split(b"\0") if entry}
        yield from (f"{name} of {folder.name}" for name in sorted(names - _EXPECTED_VARIABLES))


def _rights(_: list[str]) -> Iterator[str]:
    attempts: dict[str, Callable[[], object]] = {
        "setuid(0)": lambda: os.setuid(0),
        "chroot()": lambda: os.chroot("/usr"),
        "chown()": lambda: os.chown("/dev/null", 0, 0),
    }
    yield from (name for name, attempt in attempts.items() if _works(attempt))
    if _LIBC.prctl(_NO_NEW_PRIVILEGES, 0, 0, 0, 0) != 1:
        yield "privileges by starting another program"
    if not _refused(lambda: _LIBC.mount(b"none", b"/kgrade-nowhere", b"tmpfs", 0, None)):
        yield "mount()"


def _namespaces(_: list[str]) -> Iterator[str]:
    if _LIBC.unshare(_CLONE_NEWUSER) == 0:
        yield "unshare()"
    child = _LIBC.syscall(_CLONE[os.uname().machine], _CLONE_NEWUSER | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    if child > 0:
        yield "clone()"


def _descriptors(_: list[str]) -> Iterator[str]:
    yield from (f"descriptor {n}" for n in range(3, 256) if _works(lambda n=n: os.fstat(n)))  # type: ignore[misc]


def _starting(_: list[str]) -> Iterator[str]:
    if _works(threading.Thread(target=str).start):
        yield "a thread"
    for path in ("/bin/sh", "/usr/bin/env"):
        if _works(lambda path=path: os.close(os.open(path, os.O_RDONLY))):  # type: ignore[misc]
            yield path
    if _works(_fork):
        yield "a process"


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _many(_: list[str]) -> Iterator[str]:
    def start() -> None:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)

    started = 0
    while started < 256 and _works(start):
        started += 1
    if started == 256:
        yield f"{started} processes"


def _memory(_: list[str]) -> Iterator[str]:
    blocks: list[mmap.mmap] = []
    while len(blocks) < 32 and _works(lambda: blocks.append(mmap.mmap(-1, 128 << 20))):
        pass
    if len(blocks) == 32:
        yield "4 GiB of memory"


def _processor(_: list[str]) -> Iterator[str]:
    if resource.getrlimit(resource.RLIMIT_CPU)[1] == resource.RLIM_INFINITY:
        yield "processor time without an end"
        return
    while True:
        pass


def _file_size(folders: list[str]) -> Iterator[str]:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if _works(lambda: (Path(folders[0]) / "large").write_bytes(bytes(64 << 20))):
        yield "a file of 64 MiB"


PROBES: dict[str, Callable[[list[str]], Iterator[str]]] = {
    "network": _network,
    "files": _files,
    "reading": _reading,
    "writing": _writing,
    "processes": _processes,
    "reaching": _reaching,
    "environment": _environment,
    "environments": _environments,
    "rights": _rights,
    "namespaces": _namespaces,
    "descriptors": _descriptors,
    "starting": _starting,
    "many": _many,
    "memory": _memory,
    "processor": _processor,
    "file size": _file_size,
}


def main() -> None:
    print(TRIED, flush=True)
    for got in PROBES[sys.argv[1]](sys.argv[2:]):
        print(got, flush=True)


if __name__ == "__main__":
    main()
