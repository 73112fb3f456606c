"""The sandbox: starts a program that may be hostile, shows it a few files, and limits its resources.

On machines without a sandbox it starts programs too, with limits only; `protects` tells which.
"""

from __future__ import annotations

import fcntl
import functools
import os
import platform
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from grader.core.errors import JudgeError, ToolMissing
from grader.sandbox.bubblewrap import (
    NOBODY,
    command_line,
    find_program,
    has_sized_folders,
    template_command_line,
    why_not,
)
from grader.sandbox.landlock import landlock_version, launcher, specification_of
from grader.sandbox.limits import SandboxLimits, process_limit, shell_limits, shell_process_limit
from grader.sandbox.places import Place, View, view_of
from grader.sandbox.process import SandboxedProcess
from grader.sandbox.seccomp import Profile, filter_program

INSTALL = "apt install bubblewrap"

CONFINED, LANDLOCK = "KGRADE_CONFINED", "Landlock"
"""A confined process's environment variable with its sandbox's name. Under Landlock, its children stay in its group."""

_RESTRICTED = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_ALLOW_NAMESPACES = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"

_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

# The channel arrives as standard input, which any shell can move. The OOM killer should pick the program first.
_OUTER = "exec 3<&0 </dev/null"
_EXPENDABLE = "{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null"


@dataclass(frozen=True)
class Started:
    """A process of the sandbox. `status` is where bubblewrap reports the program's own end; None without it."""

    process: subprocess.Popen[bytes]
    status: IO[bytes] | None


@dataclass(frozen=True)
class Sandbox:
    """A way to start programs. `program` is bubblewrap's path, or None, and then `reason` says why it is not used.

    `landlock` is the Landlock version used instead, 0 for none. `user` is the user id to start programs as, None for
    this process's own. With `has_sized_folders` a folder to write to can be in memory, with a size.
    """

    program: str | None
    reason: str = ""
    user: int | None = None
    landlock: int = 0
    has_sized_folders: bool = False

    @staticmethod
    def find(required: bool = False) -> Sandbox:
        """The sandbox of this machine. Raises ToolMissing if one is required and none works."""
        return Sandbox.of(find_program(), landlock_version(), required)

    @staticmethod
    def of(program: str | None, landlock: int, required: bool = False) -> Sandbox:
        """The best of bubblewrap at `program` and this version of Landlock that works. Raises as `find` does."""
        reason, hint = "bubblewrap is not installed", f"type: {INSTALL}"
        if program is not None:
            reason = why_not(program, None)
            if not reason:
                user = NOBODY if os.geteuid() == 0 and not why_not(program, NOBODY) else None
                return Sandbox(program, user=user, has_sized_folders=has_sized_folders(program))
            hint = _how_to_allow()
        if landlock:
            return Sandbox(None, reason, landlock=landlock, user=NOBODY if os.geteuid() == 0 else None)
        if required:
            raise ToolMissing(f"the sandbox does not work: {reason}", hint)
        return Sandbox(None, reason)

    @property
    def protects(self) -> bool:
        """Whether programs are isolated from files, the network and other processes."""
        return self.program is not None or self.landlock > 0

    @property
    def name(self) -> str:
        """The kind of sandbox: "bubblewrap", "Landlock" or "none"."""
        if self.program is not None:
            return "bubblewrap"
        return LANDLOCK if self.landlock else "none"

    def start(
        self,
        command: Sequence[str],
        *,
        readable: Sequence[Path] = (),
        writable: Path | None = None,
        files: Mapping[str, Path] | None = None,
        channel: socket.socket | None = None,
        limits: SandboxLimits | None = None,
        environment: Mapping[str, str] | None = None,
        profile: Profile = Profile.RECORD,
    ) -> SandboxedProcess:
        """Starts a program, which sees the system's libraries and what is named here.

        `readable` files and folders are shown read-only at their own paths, `files` at the paths given by their keys;
        `writable` is the one folder that it may write to, and its working directory. `channel` becomes its descriptor
        3; the caller closes its own copy. Paths are absolute. Without namespaces, words of `command` that are keys of
        `files` are replaced by the host's paths.
        """
        limits, files = limits or SandboxLimits(), files or {}
        words = list(command) if self.program is not None else [str(files.get(word, word)) for word in command]
        started = self.open(
            words,
            view_of(profile, readable, writable, files),
            profile,
            limits,
            {**_ENVIRONMENT, **(environment or {})},
            stdin=channel.fileno() if channel is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            before=(_OUTER,) if channel else (),
        )
        return SandboxedProcess(started.process, started.status, limits.output_bytes)

    def open(
        self,
        command: Sequence[str],
        view: View,
        profile: Profile,
        limits: SandboxLimits,
        environment: Mapping[str, str],
        *,
        descriptors: Sequence[int] = (),
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.DEVNULL,
        stderr: int = subprocess.DEVNULL,
        before: Sequence[str] = (),
    ) -> Started:
        """Starts a program with only these descriptors, in its own session and process group.

        `before` are extra commands for the shell that sets the limits.
        """
        missing = next((place.host for place in view.places if not place.host.exists()), None)
        if missing is not None:
            raise JudgeError(f"the sandbox can't show {missing}: there is no such file or folder")
        with ExitStack() as stack:
            own: list[int] = []
            status = None
            user = self._user_for(view.places)
            count = process_limit(limits, in_namespace=self.program is not None)
            inner = ["/bin/sh", "-c", f'{shell_process_limit(count)}; exec "$@"', "sh", *command]
            if self.program is not None:
                read_end, write_end = (_above(end, stack) for end in os.pipe())
                program = _as_file(self.filter_of(profile), stack)
                own = [program, write_end]
                outer = self.bubblewrap_of(profile, view, program, write_end)
                # A recorded program starts no other and sees no shell. The process limit is for those that may.
                inner = [*outer, *(inner[:4] if profile is Profile.COMPILE else []), *command]
                status = os.fdopen(os.dup(read_end), "rb", buffering=0)
            elif self.landlock:
                specification = _as_file(specification_of(profile, view, self.landlock), stack)
                own = [specification]
                inner = [*inner[:4], *launcher(specification), *command]
            script = "; ".join([*before, _EXPENDABLE, *shell_limits(limits), 'exec "$@"'])
            process = _start(
                ["/bin/sh", "-c", script, "sh", *inner],
                user,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=dict(environment),
                cwd=view.folder if self.program is None else "/",
                pass_fds=[*own, *descriptors],
                start_new_session=os.environ.get(CONFINED) != LANDLOCK,
            )
        return Started(process, status)

    def filter_of(self, profile: Profile) -> bytes:
        """The filter of system calls that bubblewrap loads."""
        return filter_program(profile, platform.machine())

    def bubblewrap_of(self, profile: Profile, view: View, filter_descriptor: int, status_descriptor: int) -> list[str]:
        """What comes before the program and its arguments where bubblewrap starts it."""
        assert self.program is not None
        return command_line(self.program, profile, view, filter_descriptor, status_descriptor)

    def open_template(
        self, command: Sequence[str], view: View, profile: Profile, environment: Mapping[str, str], descriptor: int
    ) -> subprocess.Popen[bytes]:
        """Starts a template of ours with bubblewrap, in its own namespaces and without a filter."""
        assert self.program is not None
        user = self._user_for(view.places)
        outer = template_command_line(self.program, profile, view)
        return _start(
            ["/bin/sh", "-c", f'{_EXPENDABLE}; exec "$@"', "sh", *outer, *command],
            user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            cwd="/",
            pass_fds=[descriptor],
            start_new_session=True,
        )

    def _user_for(self, places: Sequence[Place]) -> int | None:
        """The user to start as: not root, which no process limit binds, if another user can see the places too."""
        started_by = (
            [Place("", Path(path).resolve()) for path in (sys.executable, os.__file__)] if self.landlock else []
        )
        if self.user is None or not all(_open_to_all(place) for place in (*places, *started_by)):
            return None
        for place in places:
            if place.writable:
                for folder, _, files in os.walk(place.host):
                    for path in (Path(folder), *(Path(folder, file) for file in files)):
                        os.chown(path, self.user, self.user, follow_symlinks=False)
        return self.user


def _start(command: Sequence[str], user: int | None, **given: Any) -> subprocess.Popen[bytes]:
    """Starts a command as `user`, or as this process's own, with what else Popen takes."""
    if user is None:
        return subprocess.Popen(command, **given)
    program = _setpriv()
    if program is None:
        return subprocess.Popen(command, user=user, group=user, extra_groups=(), **given)
    # To change the user itself, Popen copies the table of all of this process's pages: 5 to 10 ms of a judge's time.
    become = [program, f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
    return subprocess.Popen([*become, *command], **given)


@functools.cache
def _setpriv() -> str | None:
    """The path of util-linux's setpriv; None where there is none that knows these options."""
    program = shutil.which("setpriv", path=_ENVIRONMENT["PATH"])
    if program is None:
        return None
    options = ["--reuid", "--regid", "--clear-groups"]
    done = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10)
    return program if all(option in done.stdout for option in options) else None


def how_to_get_namespaces() -> str:
    """How to get bubblewrap working on a machine that uses Landlock instead."""
    return INSTALL if find_program() is None else _how_to_allow().removeprefix("type: ")


def _how_to_allow() -> str:
    """How to allow the namespaces that bubblewrap needs."""
    if _RESTRICTED.is_file() and _RESTRICTED.read_text().strip() == "1":
        # Ubuntu 23.10 and later.
        return f"AppArmor restricts user namespaces here; type: {_ALLOW_NAMESPACES}"
    return "unprivileged user namespaces have to be allowed; in a container, its own settings forbid them"


def _open_to_all(place: Place) -> bool:
    host = place.host.absolute()
    needed = stat.S_IROTH | (stat.S_IXOTH if host.is_dir() else 0)
    reachable = all(folder.stat().st_mode & stat.S_IXOTH for folder in host.parents)
    return reachable and (place.writable or host.stat().st_mode & needed == needed)


def _above(descriptor: int, stack: ExitStack) -> int:
    """Moves a descriptor to a number that can't collide with the channel's 3; the stack closes it."""
    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(descriptor)
    stack.callback(os.close, moved)
    return moved


def _as_file(data: bytes, stack: ExitStack) -> int:
    descriptor = _above(os.memfd_create("filter"), stack)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
