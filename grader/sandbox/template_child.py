"""The template: a process with modules loaded that forks a confined process for each request.

It runs in its own sandbox, is single-threaded, holds no secrets and reads no byte of a submission. Each forked process
creates its own namespaces, sees no processes and files of others, drops all capabilities, and loads its system call
filter before it reads anything. The requests come from `grader.sandbox.template`.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from grader.sandbox.confine import drop_capabilities, load_filter
from grader.sandbox.requests import LIMITED, receive, send

_LIBC = ctypes.CDLL(None, use_errno=True)
_PDEATHSIG = 1
_NEW_NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""CLONE_NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _RECURSIVE, _PRIVATE = 1, 2, 4, 1 << 14, 1 << 18
_EMPTY = b"size=0,nr_inodes=1,mode=755"
_FAILED = 126


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    folder = Path(sys.argv[2])
    # Children are reaped automatically: the judge holds a descriptor of each.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, descriptors = receive(control)
        if request is None:
            return
        if "preload" in request:
            send(control, {"made": _preload(**request)})
            continue
        ready, started = socket.socketpair()
        if (pid := os.fork()) == 0:
            control.close()
            ready.close()
            _supervise(request, descriptors, folder, started)
        started.close()
        with ready:
            # It can't have ended before it is told to go on.
            pidfd = os.pidfd_open(pid)
            ready.send(b"1")
            failure = ready.recv(4096).decode(errors="replace")
        send(control, {"failure": failure}, [pidfd])
        for descriptor in (pidfd, *descriptors):
            os.close(descriptor)


def _preload(preload: str, given: Mapping[str, Any]) -> Any:
    module = importlib.import_module(preload)
    return module.preload(**given) if hasattr(module, "preload") else None


def _supervise(
    request: Mapping[str, Any], descriptors: Sequence[int], folder: Path, started: socket.socket
) -> NoReturn:
    """Runs as the parent of the confined process, which is the first in its namespace and dies with this one."""
    try:
        os.setsid()
        _check(_LIBC.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")
        started.recv(1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        user, group = os.getuid(), os.getgid()
        _check(_LIBC.unshare(_NEW_NAMESPACES), "unshare")
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(text)
        if (pid := os.fork()) == 0:
            _become(request, descriptors, folder, started)
        started.close()
        status_end = descriptors[-1]
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(status_end, json.dumps(code).encode())
    except BaseException as error:
        _fail(started, error)
    os._exit(0)


def _become(request: Mapping[str, Any], descriptors: Sequence[int], folder: Path, started: socket.socket) -> NoReturn:
    try:
        _check(_LIBC.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")
        channel, memory, errors, status = descriptors
        os.close(status)
        _mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None)
        # Hide all processes, and the folder that all forked processes share.
        _mount(b"tmpfs", b"/proc", b"tmpfs", _READ_ONLY | _NO_SETUID | _NO_DEVICES, _EMPTY)
        _fill(folder, request["files"], request["writable"])
        for name, value in request["limits"].items():
            kind = LIMITED[name]
            hard = resource.getrlimit(kind)[1]
            least = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (least, least))
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (errors, 1), (errors, 2)):
            os.dup2(source, target)
        for descriptor in (null, errors):
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(request["environment"])
        names = list(request["named"].items())
        for (name, words), descriptor in zip(names, (channel, memory), strict=False):
            os.environ[name] = words.format(descriptor)
        for unnamed in (channel, memory)[len(names) :]:
            os.close(unnamed)
        os.chdir(folder if request["writable"] else "/")
        module = importlib.import_module(request["module"])
        sys.argv = [request["module"], *request["arguments"]]
        started.close()
        drop_capabilities()
        load_filter(bytes.fromhex(request["filter"]))
    except BaseException as error:
        _fail(started, error)
    code = 1
    try:
        code = module.main() or 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def _fill(folder: Path, files: Mapping[str, str], writable: int) -> None:
    """Mounts a tmpfs on `folder` with room for `writable` more bytes, and writes these files (contents in
    hexadecimal) into it.
    """
    room = sum(len(data) // 2 for data in files.values()) + writable + (64 << 10)
    options = f"size={room},nr_inodes={len(files) + (1 << 16 if writable else 64)},mode=700".encode()
    _mount(b"tmpfs", bytes(folder), b"tmpfs", _NO_SETUID | _NO_DEVICES, options)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes.fromhex(data))
    if not writable:
        _mount(b"tmpfs", bytes(folder), None, 32 | _READ_ONLY | _NO_SETUID | _NO_DEVICES, options)


def _mount(source: bytes, target: bytes, kind: bytes | None, flags: int, options: bytes | None) -> None:
    _check(_LIBC.mount(source, target, kind, flags, options), f"mount {target.decode(errors='replace')}")


def _check(result: int, what: str) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), what)


def _fail(started: socket.socket, error: BaseException) -> NoReturn:
    started.send(str(error).encode()[:4096] or b"failed")
    os._exit(_FAILED)


if __name__ == "__main__":
    main()
