"""The judge's side of child processes, which keep work that may hang, crash or misbehave out of the judge.

A `Child` runs one module and exchanges JSON with it, never pickles. It bounds time and survives crashes; the child's
confinement, if any, keeps it from files, the network and other processes.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.core import errors
from grader.sandbox.confinement import Confinement, make_folder, remove_folder
from grader.sandbox.messages import Messages, TooLarge
from grader.sandbox.room import Room, Watch
from grader.sandbox.running import Running, Spawned
from grader.sandbox.serving import CHANNEL, FAILURE, MEMORY, MESSAGE_LIMIT, NO_PARENT
from grader.sandbox.template import Forked, TemplateFailed, drop_template, template_of

MOST_VALUES = 8_000_000
"""JSON values in one message: an empty list has two bytes of JSON and takes 60 bytes of memory."""

TRANSFER_SECONDS = 30.0
"""How long a message may take from its first byte to its last."""

_GONE_SECONDS = 5.0
"""How long killed processes may take to disappear: the kernel needs milliseconds, CUDA's driver a tenth of a second."""
_CONFINED = {"OPENBLAS_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1"}

_KEPT = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "XDG_CACHE_HOME"),
    *("LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "CONDA_PREFIX", "VIRTUAL_ENV"),
    *("PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"),
)
_KEPT_PREFIXES = ("LC_", "KGRADE_")
_SECRETS = ("KGRADE_TOKEN", "KGRADE_DATABASE")
"""Secrets of servers and workers, which no process that runs a submission's code may know."""


class ChildTimeout(errors.JudgeError):
    """No answer came within the time limit, or a message stopped on its way; the child has been killed."""


class ChildDied(errors.JudgeError):
    """The child ended without an answer. `signal` is the signal that ended it, None if that was not its own end.

    `full` says that it was ended because it wrote more into its folder than it may, `broke` what it did to its channel
    if that is why it was ended.
    """

    def __init__(self, message: str, returncode: int, output: str = "", *, full: bool = False, broke: str = "") -> None:
        super().__init__(message, hint=output)
        self.full, self.broke = full, broke
        self.returncode = returncode
        self.signal = signal.Signals(-returncode) if returncode < 0 and not broke else None
        self.output = output


class ChildFailed(errors.JudgeError):
    """The child caught an error of its own; the hint is its traceback."""


class Child:
    """A running `python -m MODULE`, in its own session and process group.

    The child gets a few environment variables, an empty standard input and one descriptor, its channel. Its standard
    output is discarded; the end of its standard error is kept for crash messages. It starts in `/`, so paths in `args`
    have to be absolute. It dies with the thread that created it.
    `prefix` gives a program with its arguments, such as a debugger, that starts the child, for the child's `scratch`:
    then `pid` is that program's, and the child dies with the process that created it.
    With a `confinement` the child runs in that sandbox, with no more of the environment than it says. `memory` is an
    in-memory file that both have open, for arrays. With `scratch` the child has its own writable folder, which starts
    with copies of these folders, holds its cache, and is removed when it ends; a confined one has `room` for what the
    child writes.
    """

    message_limit, most_values = MESSAGE_LIMIT, MOST_VALUES
    transfer_seconds = TRANSFER_SECONDS
    room = Room()

    def __init__(
        self,
        module: str,
        args: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        prefix: Callable[[Path], Sequence[str]] | None = None,
        confinement: Confinement | None = None,
        scratch: Sequence[Path] | None = None,
    ) -> None:
        self.module = module
        self.memory = os.memfd_create("kgrade-shared")
        ours, theirs = socket.socketpair()
        self._errors, errors_end = os.pipe()
        # Hostile code could write for ever; what does not fit in the pipe is lost.
        os.set_blocking(errors_end, False)
        os.set_blocking(self._errors, False)
        self._template = template_of(module, confinement) if not (environment or prefix or scratch) else None
        self.scratch: Path | None = None
        self._watch: Watch | None = None
        with ours, theirs:
            channel = theirs.fileno()
            forked = self._fork(args, confinement, channel, errors_end, scratch is not None)
            if forked is None and scratch is not None:
                self.scratch = make_folder(scratch)
            own = {MEMORY: str(self.memory), **(environment or {})}
            if forked is not None:
                self._running: Running = forked
            else:
                before = prefix(self.scratch) if prefix is not None and self.scratch is not None else ()
                # With copies or a prefix, others read what is in the folder.
                own_alone = self.scratch is not None and not (scratch or prefix)
                sized = own_alone and confinement is not None and confinement.sandbox.has_sized_folders
                size = self.room.size if sized else None
                self._running = self._spawn(args, own, before, confinement, channel, errors_end, size)
                if self.scratch is not None and confinement is not None and size is None:
                    self._watch = Watch(self.scratch, self.room, self._running.kill)
            self._connection = Messages(ours.dup())
        os.close(errors_end)
        self._finalizer = weakref.finalize(
            self, _end, self._running, self._connection, [self._errors, self.memory], self.scratch, self._watch
        )

    def _fork(
        self, args: Sequence[str], confinement: Confinement | None, channel: int, errors_end: int, writes: bool
    ) -> Forked | None:
        """Forks the process from a template; None if there is no template or forking fails."""
        if self._template is None or confinement is None:
            return None
        own = _of_folder(self._template.folder) if writes else {}
        named = {CHANNEL: f"{{}}:{NO_PARENT}", MEMORY: "{}"}
        descriptors = (channel, self.memory, errors_end)
        try:
            return self._template.fork(self.module, args, _CONFINED | own, named, descriptors, confinement, writes)
        except TemplateFailed:
            drop_template(self._template)
            self._template = None
            return None

    def _spawn(
        self,
        args: Sequence[str],
        own: Mapping[str, str],
        before: Sequence[str],
        confinement: Confinement | None,
        channel: int,
        errors_end: int,
        size: int | None,
    ) -> Spawned:
        descriptors = (channel, self.memory)
        if self.scratch is not None:
            own = {**own, **_of_folder(self.scratch)}
        if confinement is not None:
            own = {**own, **_CONFINED, CHANNEL: f"{channel}:{NO_PARENT}"}
            started = confinement.start(self.module, args, before, own, descriptors, errors_end, self.scratch, size)
            return Spawned(started.process, started.status)
        parent = os.getpid() if not before else NO_PARENT
        command = [*before, sys.executable, "-m", self.module, *args]
        return Spawned(_start(command, _environment(channel, parent, own), descriptors, errors_end))

    @property
    def pid(self) -> int:
        return self._running.pid

    @property
    def is_forked(self) -> bool:
        """Whether it was forked from a template, and has what the module's `preload` made there."""
        return self._template is not None

    def shown(self, path: Path) -> Path:
        """The path at which the child sees a given file of its confinement."""
        return path if self._template is None else self._template.shown(path)

    def send(self, message: Mapping[str, Any], seconds: float | None = None) -> None:
        """Sends one message, which may take `seconds` where the child is still starting. Raises ChildTimeout, and
        ChildDied if the child has ended."""
        data = json.dumps(message, separators=(",", ":")).encode()
        try:
            self._connection.send(data, self.transfer_seconds if seconds is None else seconds)
        except OSError as error:
            raise self._failed_transfer(error) from None

    def has_spoken(self, within: float) -> bool:
        """Whether a message or the child's end arrives within that many seconds. The child is not killed otherwise."""
        return self._connection.poll(within)

    def receive(self, timeout: float | None) -> dict[str, Any]:
        """Returns the next message. After ChildTimeout or ChildDied the child is gone.

        Raises ChildTimeout after `timeout` seconds, ChildDied, ChildFailed, or the error of `grader.core.errors` that
        the handler of `serve` raised.
        """
        return self._read(self.receive_bytes(timeout))

    def receive_bytes(self, timeout: float | None) -> bytes:
        """Returns the next message as it came. Raises ChildTimeout and ChildDied, as `receive` does."""
        try:
            if not self._connection.poll(timeout):
                self.close()
                raise ChildTimeout(f"{self.module} gave no answer within {timeout:g} seconds")
            return self._connection.receive(self.message_limit, self.transfer_seconds)
        except (EOFError, OSError) as error:
            raise self._failed_transfer(error) from None

    def kill(self) -> None:
        """Kills the child with everything that it started, without waiting for its end as `close` does."""
        if self._finalizer.alive:
            self._running.kill()

    def close(self) -> None:
        """Kills the child with everything that it started. Closing twice is allowed."""
        self._finalizer()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _read(self, data: bytes) -> dict[str, Any]:
        try:
            message = json.loads(json_text(data, self.most_values))
        except (ValueError, RecursionError):
            message = None
        failure = message.get(FAILURE) if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(failure, (dict, type(None))):
            self.close()
            raise ChildFailed(f"{self.module} sent something that is not a JSON object")
        if failure is None:
            return message
        known = getattr(errors, str(failure.get("type")), None)
        kind = known if isinstance(known, type) and issubclass(known, errors.KgradeError) else ChildFailed
        raise kind(str(failure.get("message")), str(failure.get("hint")))

    def _failed_transfer(self, error: Exception) -> ChildTimeout | ChildDied:
        if isinstance(error, TimeoutError):
            # Not ChildDied: whoever sees that a signal ended the child takes it for the system's.
            self.close()
            return ChildTimeout(f"a message to or from {self.module} stopped on its way")
        if not self._finalizer.alive:
            return ChildDied(f"{self.module} is closed", self._running.returncode)
        large = isinstance(error, TooLarge)
        alone = not large and self._running.ends_within(2.0)
        output = _drain(self._errors)[-4000:].decode(errors="replace").strip()
        self.close()
        returncode = self._running.returncode
        if self._watch is not None and self._watch.full:
            return ChildDied(f"{self.module} wrote more into its folder than it may", returncode, output, full=True)
        if not alone:
            broke = f"announced {error}" if large else "closed its channel to the judge"
            return ChildDied(f"{self.module} {broke}, and was ended", returncode, output, broke=broke)
        how = f"exit code {returncode}" if returncode >= 0 else signal.Signals(-returncode).name
        return ChildDied(f"{self.module} ended unexpectedly with {how}", returncode, output)


def json_text(data: bytes, most_values: int) -> str:
    """Decodes a JSON document that may be hostile. Raises ValueError if it has more than `most_values` values."""
    if sum(map(data.count, (b",", b":", b"[", b"{"))) > most_values:
        raise ValueError(f"more than {most_values} values")
    return data.decode()


def _environment(descriptor: int, parent: int, more: Mapping[str, str]) -> dict[str, str]:
    """The child's environment: enough of the judge's to find programs, libraries and caches."""
    kept = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith(_KEPT_PREFIXES)}
    for secret in _SECRETS:
        kept.pop(secret, None)
    folders = [str(Path(entry).absolute()) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    home = Path(__file__).absolute().parents[2]
    # For a checkout that is not installed. An installed package is found anyway, and site-packages before the standard
    # library would let old backports shadow its modules.
    if home.name not in ("site-packages", "dist-packages"):
        folders.append(str(home))
    if folders:
        kept["PYTHONPATH"] = os.pathsep.join(folders)
    # NumPy's OpenBLAS starts a thread per core on import, which takes 0.2 s on 16 cores; no child needs them.
    return {"OPENBLAS_NUM_THREADS": "1", **kept, **more, "PYTHONFAULTHANDLER": "1", CHANNEL: f"{descriptor}:{parent}"}


def _start(
    command: Sequence[str], environment: Mapping[str, str], descriptors: Sequence[int], stderr: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env=environment,
        cwd="/",
        pass_fds=descriptors,
        start_new_session=True,
    )


def _drain(pipe: int) -> bytes:
    """Reads what is in a pipe without waiting, at most its capacity, because a writer could go on for ever."""
    with contextlib.suppress(BlockingIOError):
        return os.read(pipe, fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ))
    return b""


def _of_folder(folder: Path) -> dict[str, str]:
    """Environment variables that make programs write their files to this folder."""
    return {"TMPDIR": str(folder), "KGRADE_CACHE": str(folder)}


def _end(
    running: Running,
    connection: Messages,
    descriptors: Sequence[int],
    scratch: Path | None,
    watch: Watch | None,
) -> None:
    if watch is not None:
        watch.end()
    running.kill()
    running.wait()
    if running.in_namespace:
        # Processes in a namespace end shortly after its first process; each of them has the channel open.
        _await_hangup(connection, _GONE_SECONDS)
    connection.close()
    for descriptor in descriptors:
        os.close(descriptor)
    if scratch is not None:
        remove_folder(scratch)


def _await_hangup(connection: Messages, seconds: float) -> None:
    poll = select.poll()
    poll.register(connection.fileno(), 0)
    poll.poll(seconds * 1000)
