"""Resource limits of a sandboxed program, and the shell commands that set them before it starts.

Limits apply per process; the waiting side limits the total time.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_OWN_COUNT = (5, 14)
"""From this Linux version on, a user namespace counts its own processes; before, all of the user's count together."""

STACK = 8 << 20
"""Bytes of a program's first stack, as Linux has them at first. Where a user's shell sets none, `data` would have a way
around it."""


@dataclass(frozen=True)
class SandboxLimits:
    """`memory` is address space in bytes, `file_bytes` the largest file that may be written; None is no limit.

    `data` is the part of the address space that is private and can be written: what a program computes with, without
    the libraries that it maps.
    `processes` counts threads too; it applies only if the Profile lets a program start others, and never to root.
    `output_bytes` is how much of the output is kept; the rest is read and discarded.
    """

    memory: int | None = 1_500_000_000
    cpu_seconds: int | None = 5
    file_bytes: int | None = 32 << 20
    processes: int = 64
    descriptors: int = 64
    output_bytes: int = 64 << 10
    data: int | None = None


def shell_limits(limits: SandboxLimits) -> Iterator[str]:
    """Yields shell commands that limit what runs after them, in the units of sh. They never raise a limit."""
    rows = (
        ("v", resource.RLIMIT_AS, limits.memory, 1024),
        ("d", resource.RLIMIT_DATA, limits.data, 1024),
        ("s", resource.RLIMIT_STACK, STACK, 1024),
        ("t", resource.RLIMIT_CPU, limits.cpu_seconds, 1),
        ("f", resource.RLIMIT_FSIZE, limits.file_bytes, 512),
        ("n", resource.RLIMIT_NOFILE, limits.descriptors, 1),
        ("c", resource.RLIMIT_CORE, 0, 512),
    )
    for letter, kind, wanted, unit in rows:
        if wanted is not None:
            yield f"ulimit -{letter} {_at_most(kind, wanted) // unit}"


def shell_process_limit(count: int) -> str:
    """The same for the number of processes, for which dash and bash have different options."""
    most = _at_most(resource.RLIMIT_NPROC, count)
    return f"ulimit -u {most} 2>/dev/null || ulimit -p {most} 2>/dev/null"


def process_limit(limits: SandboxLimits, in_namespace: bool, proc: Path = Path("/proc")) -> int:
    """The process limit to set so that `processes` are left for this program if the user's other processes count
    too. `proc` is where the kernel lists them.
    """
    release = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2] if part.isdigit())
    if in_namespace and release >= _OWN_COUNT:
        return limits.processes
    return limits.processes + sum(_threads(proc))


def _threads(proc: Path) -> Iterator[int]:
    """Yields the number of threads of each process of this user, of which some end meanwhile; none where the list is
    hidden, as in a sandbox."""
    folders: list[Path] = []
    with suppress(OSError):
        folders += proc.iterdir()
    for folder in folders:
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "status").read_text()
        except OSError:
            continue
        fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        if fields.get("Uid", "").split("\t")[0] == str(os.getuid()):
            yield int(fields.get("Threads", "1"))


def _at_most(kind: int, wanted: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
