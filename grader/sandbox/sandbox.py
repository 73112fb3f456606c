"""The sandbox: starts a program that may be hostile, shows it a few files, and limits what it uses.

Where bubblewrap is missing it starts programs too, and then limits are all that there is: `protects` says which.
"""

from __future__ import annotations

import fcntl
import os
import platform
import socket
import stat
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from grader.errors import JudgeError, ToolMissing
from grader.sandbox.bubblewrap import NOBODY, Place, command_line, find_program, places_of, why_not
from grader.sandbox.limits import SandboxLimits, process_limit, shell_limits, shell_process_limit
from grader.sandbox.process import SandboxedProcess
from grader.sandbox.seccomp import Profile, filter_program

INSTALL = "apt install bubblewrap"

_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

# The channel comes as standard input, which any shell can move. What uses much memory is to be killed first.
_OUTER = "exec 3<&0 </dev/null"
_EXPENDABLE = "{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null"


@dataclass(frozen=True)
class Sandbox:
    """A way to start programs. `program` is bubblewrap's path, or None; `reason` says then why it is not used.

    `user` is the one to start it as, where that is not this process's own.
    """

    program: str | None
    reason: str = ""
    user: int | None = None

    @staticmethod
    def find(required: bool = False) -> Sandbox:
        """The sandbox of this machine. Raises ToolMissing where one is required and does not work."""
        program = find_program()
        reason, hint = "bubblewrap is not installed", f"type: {INSTALL}"
        if program is not None:
            reason = why_not(program, None)
            if not reason:
                user = NOBODY if os.geteuid() == 0 and not why_not(program, NOBODY) else None
                return Sandbox(program, user=user)
            hint = "unprivileged user namespaces have to be allowed; in a container, its own settings forbid them"
        if required:
            raise ToolMissing(f"the sandbox does not work: {reason}", hint)
        return Sandbox(None, reason)

    @property
    def protects(self) -> bool:
        """Whether a program is kept from files, the network and other processes."""
        return self.program is not None

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
        """Start a program, which sees the system's libraries and what is named here.

        `readable` files and folders are shown read-only at their own paths, `files` at the paths that are their
        keys, and `writable` is one folder where it may write, and where it starts. The other end of `channel`
        becomes its descriptor 3; the caller closes this end of it. Paths are absolute.

        Where nothing `protects`, the words of `command` that are keys of `files` become the paths of those.
        """
        limits, files = limits or SandboxLimits(), files or {}
        places = places_of(readable, writable, files, profile)
        missing = next((place.host for place in places if not place.host.exists()), None)
        if missing is not None:
            raise JudgeError(f"the sandbox can't show {missing}: there is no such file or folder")
        with ExitStack() as stack:
            descriptors: list[int] = []
            status = None
            words = [str(files.get(word, word)) for word in command]
            user = self._user_for(places)
            process_count = process_limit(limits, in_namespace=self.protects)
            inner = ["/bin/sh", "-c", f'{shell_process_limit(process_count)}; exec "$@"', "sh", *words]
            if self.program is not None:
                read_end, write_end = (_above(end, stack) for end in os.pipe())
                program = _as_file(filter_program(profile, platform.machine()), stack)
                descriptors = [program, write_end]
                outer = command_line(self.program, profile, places, program, write_end)
                # A recorded program starts no other, and sees no shell.
                inner = [*outer, *(command if profile is Profile.RECORD else [*inner[:4], *command])]
                status = os.fdopen(os.dup(read_end), "rb", buffering=0)
            script = "; ".join([*([_OUTER] if channel else []), _EXPENDABLE, *shell_limits(limits), 'exec "$@"'])
            process = subprocess.Popen(
                ["/bin/sh", "-c", script, "sh", *inner],
                stdin=channel.fileno() if channel is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**_ENVIRONMENT, **(environment or {})},
                cwd=str(writable) if writable is not None and not self.protects else "/",
                pass_fds=descriptors,
                start_new_session=True,
                user=user,
                group=user,
                extra_groups=() if user is not None else None,
            )
        return SandboxedProcess(process, status, limits.output_bytes)

    def _user_for(self, places: Sequence[Place]) -> int | None:
        """Root gives its rights away where another user can see the places too: no process limit binds root."""
        if self.user is None or not all(_open_to_all(place) for place in places):
            return None
        for place in places:
            if place.writable:
                os.chown(place.host, self.user, self.user)
        return self.user


def _open_to_all(place: Place) -> bool:
    host = place.host.absolute()
    needed = stat.S_IROTH | (stat.S_IXOTH if host.is_dir() else 0)
    reachable = all(folder.stat().st_mode & stat.S_IXOTH for folder in host.parents)
    return reachable and (place.writable or host.stat().st_mode & needed == needed)


def _above(descriptor: int, stack: ExitStack) -> int:
    """The same file under a number that the channel's 3 can't collide with, closed with the stack."""
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
