"""The second kind of sandbox, for machines without namespaces: Landlock, a system call filter, and limits.

It protects files, the network and other processes. It can't hide that a file exists or its size, give a program its
own user and process ids, or limit the number of root's processes.
"""

from __future__ import annotations

import base64
import ctypes
import functools
import json
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.sandbox.confine import PROCESS_MARK
from grader.sandbox.places import OF_PROCESSES, OLD_PLACES, SHOWN, View, open_paths
from grader.sandbox.seccomp import Profile, filter_program
from grader.sandbox.syscalls import MACHINES

SCRIPT = Path(__file__).with_name("confine.py")

_CREATE_RULESET, _ASK_VERSION = 444, 1
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@functools.cache
def landlock_version() -> int:
    """The Landlock ABI version of this kernel (5.13 and later); 0 if it is missing or disabled."""
    if platform.machine() not in MACHINES:
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)))


def launcher(specification: int) -> list[str]:
    """The words before the program and its arguments; `specification` is the descriptor of the specification."""
    return [sys.executable, "-I", "-S", "-B", str(SCRIPT), str(specification)]


def specification_of(profile: Profile, view: View, version: int) -> bytes:
    """The specification for grader/sandbox/confine.py: the paths to open and the filter to load."""
    readable = [*map(Path, SHOWN[profile]), *(old for old in map(Path, OLD_PLACES) if not old.is_symlink())]
    readable += map(Path, OF_PROCESSES.get(profile, ()))
    readable += [place.host for place in view.places if not place.writable and not place.device]
    wanted: Mapping[str, Any] = {
        "abi": version,
        "read": [str(path) for path in open_paths(readable)],
        "devices": [*_DEVICES, *(str(place.host) for place in view.places if place.device)],
        "own": ["/proc/self"] if profile in OF_PROCESSES else [],
        "write": [str(place.host) for place in view.places if place.writable],
        "filter": base64.b64encode(filter_program(profile, platform.machine(), PROCESS_MARK)).decode(),
    }
    return json.dumps(wanted).encode()
