"""Allow-lists of system calls, as the BPF programs that bubblewrap loads before it starts a program.

Refused calls fail with an error that the program sees, so that it ends by its own words. A list is no sandbox by
itself: it takes away the ways out that namespaces leave open.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from grader.sandbox.syscalls import BY_ARGUMENT, COMPILE, NEWEST_KNOWN, RECORD, numbers_of


class Profile(Enum):
    """What a program is for. RECORD starts no process and no thread; COMPILE is for compilers, which do."""

    RECORD = "record"
    COMPILE = "compile"


# <linux/audit.h>: the number of the ELF machine, with the bits for 64-bit and little-endian.
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# <linux/seccomp.h>, and the places in its struct seccomp_data. An argument's lower half comes first.
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16

# <linux/bpf_common.h>: load a word; jump if equal, not less, or any bit is set; return a constant.
_LOAD, _EQUAL, _NOT_LESS, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

_NEW_NAMESPACES = 0x7E020000
"""All of clone()'s CLONE_NEW… flags: a namespace of one's own brings back every capability inside it."""

_DESCRIPTOR_QUESTIONS = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONCLEX, FIOCLEX: what libraries ask. TIOCSTI would type in the user's terminal."""

_PROCESS_OPTIONS = (15, 16, 22, 38, 39)
"""prctl()'s for the process's name, for one more filter and for no new privileges, which only take rights away."""


@dataclass(frozen=True)
class _Step:
    """One instruction. A jump goes to the step labelled `then` if its test holds, and on to the next step if not."""

    code: int
    value: int
    then: str = ""
    label: str = ""


def filter_program(profile: Profile, machine: str) -> bytes:
    """The program for one of syscalls.MACHINES, as an array of struct sock_filter."""
    return _assemble(list(_steps(profile, machine)))


def _steps(profile: Profile, machine: str) -> Iterator[_Step]:
    special = numbers_of(machine, BY_ARGUMENT)
    tables = [RECORD]
    if profile is Profile.COMPILE:
        tables.append(COMPILE)
    else:
        del special["clone"]
    yield _Step(_LOAD, _MACHINE)
    yield _Step(_EQUAL, _ARCHITECTURE[machine], then="native")
    # Under 32-bit emulation the same numbers mean other calls.
    yield _Step(_RETURN, _KILL)
    yield _Step(_LOAD, _NUMBER, label="native")
    for name, number in special.items():
        yield _Step(_EQUAL, number, then=name)
    for number in numbers_of(machine, *tables).values():
        yield _Step(_EQUAL, number, then="allow")
    yield _Step(_NOT_LESS, NEWEST_KNOWN + 1, then="unknown")
    yield _Step(_RETURN, _ERRNO | errno.EPERM, label="refuse")
    yield _Step(_RETURN, _ERRNO | errno.ENOSYS, label="unknown")
    for name, argument, test, values, then, otherwise in (
        ("clone", 0, _ANY_BIT, (_NEW_NAMESPACES,), "refuse", _ALLOW),
        ("ioctl", 1, _EQUAL, _DESCRIPTOR_QUESTIONS, "allow", _ERRNO | errno.EPERM),
        ("prctl", 0, _EQUAL, _PROCESS_OPTIONS, "allow", _ERRNO | errno.EPERM),
    ):
        if name in special:
            yield _Step(_LOAD, _ARGUMENTS + 8 * argument, label=name)
            for value in values:
                yield _Step(test, value, then=then if then == "allow" else f"{then} {name}")
            yield _Step(_RETURN, otherwise)
            if then != "allow":
                # BPF jumps forward only.
                yield _Step(_RETURN, _ERRNO | errno.EPERM, label=f"{then} {name}")
    yield _Step(_RETURN, _ALLOW, label="allow")


def _assemble(steps: list[_Step]) -> bytes:
    places = {step.label: place for place, step in enumerate(steps) if step.label}
    words = []
    for place, step in enumerate(steps):
        # A byte holds the distance, counted from the next step; struct.pack fails where that is too little.
        distance = places[step.then] - place - 1 if step.then else 0
        words.append(struct.pack("=HBBI", step.code, distance, 0, step.value))
    return b"".join(words)
