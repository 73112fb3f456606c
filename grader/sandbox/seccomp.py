"""System call filters, as BPF programs that are loaded before a program starts.

Refused calls fail with an error that the program sees, so that it can report it. A filter alone is no sandbox: it
closes the ways out that namespaces or Landlock leave open.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from grader.sandbox.syscalls import (
    ATTRIBUTES,
    BY_ARGUMENT,
    BY_PROCESS,
    COMPILE,
    NEWEST_KNOWN,
    RECORD,
    REFUSED,
    REPLACED,
    THREADS,
    numbers_of,
)


class Profile(Enum):
    """The purpose of a program, which decides its system calls.

    RECORD starts no processes and no threads. COMPILE is for compilers, which start both. COMPUTE has threads and
    generates machine code: the emulator, and the reader of a submission's text. GPU is for programs that use CUDA's
    driver, whose calls we can't know, so a list names the refused ones. WATCHED is the same under a debugger, which
    starts processes and communicates with them.
    """

    RECORD = "record"
    COMPILE = "compile"
    COMPUTE = "compute"
    GPU = "gpu"
    WATCHED = "watched"


# <linux/audit.h>: the ELF machine number, with the bits for 64-bit and little-endian.
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# <linux/seccomp.h>, and offsets in its struct seccomp_data. An argument's lower half comes first.
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16

# <linux/bpf_common.h>: load a word; jump if equal, not less, or any bit is set; return a constant.
_LOAD, _EQUAL, _NOT_LESS, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

_NEW_NAMESPACES = 0x7E020000
"""All of clone()'s CLONE_NEW… flags: a new namespace would give every capability inside it."""

_SAME_PROCESS = 0x00010000
"""clone()'s CLONE_THREAD."""

_DESCRIPTOR_QUESTIONS = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONCLEX, FIOCLEX, used by libraries. TIOCSTI would type in the user's terminal."""

_TERMINAL_WRITES = (0x5412, 0x541C, 0x5423)
"""TIOCSTI, TIOCLINUX, TIOCSETD."""

_PROCESS_OPTIONS = (15, 16, 22, 38, 39)
"""prctl() options for the process's name, for further filters and for no new privileges, which only remove rights."""

_SIGNALS_BY_DESCRIPTOR = (8, 10, 15)
"""fcntl()'s F_SETOWN, F_SETSIG, F_SETOWN_EX, which send signals to the process they name."""

_LOCKS = (6, 7, 37, 38, 1024, 1026)
"""fcntl()'s F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY: on files that other sandboxes show as
well they would say something to whoever looks at the same file."""

_EVICTING = (20, 21)
"""madvise()'s MADV_COLD and MADV_PAGEOUT. The next submission could measure which pages of a file are in memory."""

_MODES = {"open": 2, "openat": 3, "creat": 1, "chmod": 1, "fchmod": 1, "fchmodat": 2}
"""Which argument is a file's mode. Newer variants of these calls are refused where rules have to hold."""

_SET_IDS = 0o6000
"""S_ISUID, S_ISGID."""

_NODES = {"mknod": 1, "mknodat": 2}
_NO_PIPES = 0o160000
"""The bits of a file's type except S_IFIFO's."""

_REACHING = ("kill", "tkill", "setsid", "setpgid")
"""Calls allowed in a process namespace of its own. Without one they reach other processes, or leave the group that is
killed at the end."""

_OWNERS = (0x8901, 0x8902)
"""FIOSETOWN, SIOCSPGRP: a socket's events are sent as signals to the process they name."""

_DRIVERS = (Profile.GPU, Profile.WATCHED)

_LOCAL = 1
"""AF_UNIX."""

_DEBUGGING = (
    *("fork", "vfork", "kill", "tkill", "setsid", "setpgid", "ptrace", "socketpair"),
    *("connect", "accept", "accept4", "sendmsg", "recvmsg", *_NODES),
)
"""Calls that a debugger needs, harmless in its own namespaces. With mknod it may only create pipes."""


@dataclass(frozen=True)
class _Rule:
    """A rule on one argument: calls for which `test` holds are allowed if `allowed`, else all others are."""

    argument: int
    test: int
    values: tuple[int, ...]
    allowed: bool


@dataclass(frozen=True)
class _Step:
    """One instruction. A jump goes to the step labelled `then` if its test holds, else to the next step."""

    code: int
    value: int
    then: str = ""
    label: str = ""


def filter_program(profile: Profile, machine: str, process: int | None = None) -> bytes:
    """The BPF program for one of syscalls.MACHINES, as an array of struct sock_filter.

    `process` is the id of the confined process if it has no process namespace of its own; then no call can reach
    another process.
    """
    return _assemble(list(_steps(profile, machine, process)))


def _steps(profile: Profile, machine: str, process: int | None) -> Iterator[_Step]:
    rules = _rules(profile, process)
    special = {name: number for name, number in _numbers(machine, rules).items() if name in rules}
    yield _Step(_LOAD, _MACHINE)
    yield _Step(_EQUAL, _ARCHITECTURE[machine], then="native")
    # In 32-bit emulation the same numbers mean different calls.
    yield _Step(_RETURN, _KILL)
    yield _Step(_LOAD, _NUMBER, label="native")
    for name, number in special.items():
        yield _Step(_EQUAL, number, then=name)
    if profile in _DRIVERS:
        if process is not None:
            for number in numbers_of(machine, ATTRIBUTES).values():
                yield _Step(_EQUAL, number, then="refuse")
        yield from _refused(machine, _DEBUGGING if profile is Profile.WATCHED and process is None else ())
    else:
        yield from _allowed(profile, machine, process, special)
    for name in special:
        rule = rules[name]
        yield _Step(_LOAD, _ARGUMENTS + 8 * rule.argument, label=name)
        for value in rule.values:
            yield _Step(rule.test, value, then=f"match {name}")
        yield _Step(_RETURN, _ERRNO | errno.EPERM if rule.allowed else _ALLOW)
        # BPF jumps forward only.
        yield _Step(_RETURN, _ALLOW if rule.allowed else _ERRNO | errno.EPERM, label=f"match {name}")
    yield _Step(_RETURN, _ALLOW, label="allow")


def _rules(profile: Profile, process: int | None) -> Mapping[str, _Rule]:
    """The rules on arguments, by the call's name."""
    threads_only = profile in (Profile.COMPUTE, Profile.GPU)
    bits, allowed = (_SAME_PROCESS, True) if threads_only else (_NEW_NAMESPACES, False)
    questions = _Rule(1, _EQUAL, _DESCRIPTOR_QUESTIONS, True)
    drivers = _Rule(1, _EQUAL, (*_TERMINAL_WRITES, *_OWNERS), False)
    rules: dict[str, _Rule] = {"ioctl": drivers if profile in _DRIVERS else questions}
    if profile is Profile.GPU or (profile is Profile.WATCHED and process is not None):
        # CUDA's driver listens on a socket and does not start without it. Nothing can connect.
        rules["socket"] = _Rule(0, _EQUAL, (_LOCAL,), True)
        # An address would reach a socket without a connection. The address has 64 bits, so its 32-bit length is tested.
        rules["sendto"] = _Rule(5, _EQUAL, (0,), True)
    if profile in (Profile.COMPILE, *_DRIVERS):
        # Whoever runs a setuid file gets the rights of the sandbox's user, which may be the judge's own.
        attributes = profile in _DRIVERS and process is None
        places = {name: place for name, place in _MODES.items() if attributes or name not in ATTRIBUTES}
        rules |= {name: _Rule(place, _ANY_BIT, (_SET_IDS,), False) for name, place in places.items()}
    if profile is Profile.WATCHED and process is None:
        rules |= {name: _Rule(place, _ANY_BIT, (_NO_PIPES | _SET_IDS,), False) for name, place in _NODES.items()}
    if profile is not Profile.WATCHED:
        rules["prctl"] = _Rule(0, _EQUAL, _PROCESS_OPTIONS, True)
    if profile is not Profile.RECORD:
        rules["clone"] = _Rule(0, _ANY_BIT, (bits,), allowed)
    # CUDA's driver, which runs no host code of a submission, locks files of its own.
    told = (*(() if profile in _DRIVERS else _LOCKS), *(() if process is None else _SIGNALS_BY_DESCRIPTOR))
    if told:
        rules["fcntl"] = _Rule(1, _EQUAL, told, False)
    if profile not in _DRIVERS:
        rules["madvise"] = _Rule(2, _EQUAL, _EVICTING, False)
    if process is not None:
        rules["prlimit64"] = _Rule(0, _EQUAL, (0, process), True)
        rules["tgkill"] = _Rule(0, _EQUAL, (process,), True)
        rules["sched_setaffinity"] = _Rule(0, _EQUAL, (0, process), True)
    return rules


def _numbers(machine: str, rules: Mapping[str, _Rule]) -> Mapping[str, int]:
    known = numbers_of(machine, BY_ARGUMENT, BY_PROCESS, RECORD, ATTRIBUTES, REFUSED)
    return {name: known[name] for name in rules if name in known}


def _allowed(profile: Profile, machine: str, process: int | None, special: Mapping[str, int]) -> Iterator[_Step]:
    tables = [RECORD]
    if profile is not Profile.RECORD:
        tables.append(COMPILE if profile is Profile.COMPILE else THREADS)
    unwanted = set(special) | (set(_REACHING) if process is not None else set())
    for name, number in numbers_of(machine, *tables).items():
        if name not in unwanted:
            yield _Step(_EQUAL, number, then="allow")
    yield _Step(_NOT_LESS, NEWEST_KNOWN + 1, then="unknown")
    yield _Step(_RETURN, _ERRNO | errno.EPERM)
    yield _Step(_RETURN, _ERRNO | errno.ENOSYS, label="unknown")


def _refused(machine: str, needed: Sequence[str]) -> Iterator[_Step]:
    refused = numbers_of(machine, REFUSED)
    replaced = [refused.pop(name) for name in REPLACED]
    for name, number in refused.items():
        if name not in needed:
            yield _Step(_EQUAL, number, then="refuse")
    for number in replaced:
        yield _Step(_EQUAL, number, then="unknown")
    # x32 marks its call numbers with a bit, and they mean different calls.
    yield _Step(_NOT_LESS, 0x40000000, then="unknown")
    yield _Step(_RETURN, _ALLOW)
    yield _Step(_RETURN, _ERRNO | errno.EPERM, label="refuse")
    yield _Step(_RETURN, _ERRNO | errno.ENOSYS, label="unknown")


def _assemble(steps: list[_Step]) -> bytes:
    places = {step.label: place for place, step in enumerate(steps) if step.label}
    words = []
    for place, step in enumerate(steps):
        # The distance is one byte, counted from the next step; struct.pack fails if it does not fit.
        distance = places[step.then] - place - 1 if step.then else 0
        words.append(struct.pack("=HBBI", step.code, distance, 0, step.value))
    return b"".join(words)
