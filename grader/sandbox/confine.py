"""Confines itself with Landlock and a system call filter, and then executes the given program.

Runs as a script with Python's standard library only, before any byte of a submission is read:

    python -I -S -B confine.py SPECIFICATION PROGRAM ARGUMENTS…

SPECIFICATION is the descriptor of a file with a JSON object: `filter`, a BPF program in base64 in which this process's
id is still to be filled in; `read`, `devices`, `own` and `write`, the paths open for each use; `abi`, the version of
Landlock here. The calls and structures are those of <linux/landlock.h>.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import stat
import struct
import sys

_LIBC = ctypes.CDLL(None, use_errno=True)
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_RULE_PATH_BENEATH = 1
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _DROP_BOUNDING = 38, 22, 24
_MODE_FILTER = 2
_CAPABILITY_VERSION = 0x20080522
_CAPSET = {"x86_64": 126, "aarch64": 91}
_LAST_CAPABILITY = 63

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
_OF_FOLDERS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All file rights that each version handles: 13 in the first, then REFER, TRUNCATE and IOCTL_DEV."""
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_NETWORK = 3
"""Bind and connect TCP sockets, from version 4 on."""
_SCOPES = 3
"""Restrict abstract sockets and signals to the sandbox, from version 6 on."""

PROCESS_MARK = 0x7FFFFF00
"""Placeholder in a filter for the id of the process that loads it."""


def main() -> None:
    descriptor, *command = sys.argv[1:]
    with os.fdopen(int(descriptor), "rb") as file:
        specification = json.load(file)
    _check(_LIBC.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    _restrict(specification)
    drop_capabilities()
    load_filter(base64.b64decode(specification["filter"]))
    os.execve(command[0], command, dict(os.environ))


def _restrict(specification: dict[str, list[str]]) -> None:
    abi = int(specification["abi"])  # type: ignore[call-overload]
    handled = _OF_FOLDERS[min(abi, max(_OF_FOLDERS))]
    words = [handled] + ([_NETWORK] if abi >= 4 else []) + ([_SCOPES] if abi >= 6 else [])
    attributes = struct.pack(f"={len(words)}Q", *words)
    ruleset = _check(_LIBC.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0), "landlock")
    for paths, rights in (
        (specification["read"], EXECUTE | READ_FILE | READ_DIR),
        (specification["devices"], READ_FILE | WRITE_FILE | _IOCTL_DEV),
        (specification["own"], READ_FILE | READ_DIR | WRITE_FILE | _TRUNCATE),
        (specification["write"], handled),
    ):
        for path in paths:
            _allow(ruleset, path, rights & handled)
    _check(_LIBC.syscall(_RESTRICT, ruleset, 0), "landlock")
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(place).st_mode):
        rights &= EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL_DEV
    rule = struct.pack("=Qi", rights, place)
    _check(_LIBC.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0), path)
    os.close(place)


def drop_capabilities() -> None:
    """Drops all capabilities, root's too. Capabilities that the kernel does not know are ignored."""
    for number in range(_LAST_CAPABILITY):
        _LIBC.prctl(_DROP_BOUNDING, number, 0, 0, 0)
    header, data = struct.pack("=Ii", _CAPABILITY_VERSION, 0), bytes(24)
    _check(_LIBC.syscall(_CAPSET[os.uname().machine], header, data), "capset")


def load_filter(program: bytes) -> None:
    """Irrevocably restricts this process and its children to the system calls that the filter allows."""
    steps = [
        (code, yes, no, os.getpid() if value == PROCESS_MARK else value)
        for code, yes, no, value in struct.iter_unpack("=HBBI", program)
    ]
    instructions = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    pointer = struct.pack("@HP", len(steps), ctypes.addressof(instructions))
    _check(_LIBC.prctl(_SET_SECCOMP, _MODE_FILTER, pointer, 0, 0), "seccomp")


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        print(f"the confinement failed: {what}: {os.strerror(number)}", file=sys.stderr, flush=True)
        os._exit(126)
    return result


if __name__ == "__main__":
    main()
