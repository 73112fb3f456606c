"""Child processes: how work that may hang, crash or misbehave is kept out of the judge.

A `Child` runs one module and exchanges JSON with it, never pickles. It is no sandbox: it bounds time and
survives crashes, but what runs in the child may still read files.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from grader import errors

MESSAGE_LIMIT = 256 << 20
"""The longest message in bytes, either way. Arrays belong into shared memory."""

TRANSFER_SECONDS = 30.0
"""How long one message may take to cross once its first byte has."""

Message = dict[str, Any]
"""A JSON object."""

_CHANNEL = "KGRADE_CHANNEL"
_NO_PARENT = 0
"""In the channel's variable: the parent is some other program, so that only the channel tells of the judge."""
_FAILURE = "kgrade failure"
_PR_SET_PDEATHSIG = 1

_KEPT = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "XDG_CACHE_HOME"),
    *("LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "CONDA_PREFIX", "VIRTUAL_ENV"),
    *("PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"),
)
_KEPT_PREFIXES = ("LC_", "KGRADE_")
_SECRETS = ("KGRADE_TOKEN", "KGRADE_DATABASE")
"""A server's and a worker's: no process that runs a submission's code may know them."""


class ChildTimeout(errors.JudgeError):
    """No answer came within the time limit; the child has been killed."""


class ChildDied(errors.JudgeError):
    """The child ended without an answer. `signal` is what ended it, or None where it exited by itself."""

    def __init__(self, message: str, returncode: int, output: str = "") -> None:
        super().__init__(message, hint=output)
        self.returncode = returncode
        self.signal = signal.Signals(-returncode) if returncode < 0 else None
        self.output = output


class ChildFailed(errors.JudgeError):
    """The child caught an error of its own and sent its traceback, which is the hint."""


class Child:
    """A running `python -m MODULE`, in a session and process group of its own.

    The child sees a few environment variables, an empty standard input and one descriptor, its channel. Its
    standard output is discarded; the end of its standard error is kept for the message of a crash. It starts
    in `/`, so paths in `args` have to be absolute. It dies with the thread that made it.

    `prefix` is a program, with its arguments, that runs the child as a process of its own, such as a debugger: then
    `pid` is that program's, and the child dies with the process that made it.
    """

    def __init__(
        self,
        module: str,
        args: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        self.module = module
        ours, theirs = socket.socketpair()
        with ours, theirs:
            errors_file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the child)
            self._process = subprocess.Popen(
                [*prefix, sys.executable, "-m", module, *args],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors_file,
                env=_environment(theirs.fileno(), os.getpid() if not prefix else _NO_PARENT, environment or {}),
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
            self._connection = Connection(ours.detach())
        self._errors = errors_file
        self._finalizer = weakref.finalize(self, _end, self._process, self._connection, errors_file)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Mapping[str, Any]) -> None:
        """Send one message. Raises ChildDied where nobody is left to read it."""
        data = json.dumps(message, separators=(",", ":")).encode()
        try:
            with self._deadline():
                self._connection.send_bytes(data)
        except OSError:
            raise self._died() from None

    def receive(self, timeout: float | None) -> dict[str, Any]:
        """The next message. After ChildTimeout or ChildDied the child is gone.

        Raises ChildTimeout after `timeout` seconds, ChildDied, ChildFailed, or the error of `grader.errors`
        that the handler of `serve` raised.
        """
        try:
            if not self._connection.poll(timeout):
                self.close()
                raise ChildTimeout(f"{self.module} gave no answer within {timeout:g} seconds")
            with self._deadline():
                data = self._connection.recv_bytes(MESSAGE_LIMIT)
        except (EOFError, OSError):
            raise self._died() from None
        return self._read(data)

    def kill(self) -> None:
        """Kill the child with everything that it started, without waiting for its end; `close` does that."""
        if self._finalizer.alive:
            _kill_group(self.pid)

    def close(self) -> None:
        """Kill the child with everything that it started. Closing twice is fine."""
        self._finalizer()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    @contextlib.contextmanager
    def _deadline(self) -> Iterator[None]:
        # A child that stops in the middle of a message would block read() and write() for ever.
        timer = threading.Timer(TRANSFER_SECONDS, _kill_group, (self.pid,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _read(self, data: bytes) -> dict[str, Any]:
        try:
            message = json.loads(data)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self.close()
            raise ChildFailed(f"{self.module} sent something that is not a JSON object")
        failure = message.get(_FAILURE)
        if failure is None:
            return message
        known = getattr(errors, str(failure.get("type")), None)
        kind = known if isinstance(known, type) and issubclass(known, errors.KgradeError) else ChildFailed
        raise kind(str(failure.get("message")), str(failure.get("hint")))

    def _died(self) -> ChildDied:
        if not self._finalizer.alive:
            return ChildDied(f"{self.module} is closed", self._process.returncode)
        _await_exit(self.pid, seconds=2.0)
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4000))
        output = self._errors.read().decode(errors="replace").strip()
        self.close()
        returncode = self._process.returncode
        how = f"exit code {returncode}" if returncode >= 0 else signal.Signals(-returncode).name
        return ChildDied(f"{self.module} ended unexpectedly with {how}", returncode, output)


class Channel:
    """The child's side of the connection to the judge."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def receive(self) -> dict[str, Any]:
        """The next message. Raises EOFError when the judge has gone or closed the child."""
        try:
            message = json.loads(self._connection.recv_bytes(MESSAGE_LIMIT))
        except OSError as error:
            raise EOFError from error
        assert isinstance(message, dict)
        return message

    def send(self, message: Mapping[str, Any]) -> None:
        self._connection.send_bytes(json.dumps(message, separators=(",", ":")).encode())


def child_connection() -> Channel:
    """The channel to the judge; for a module that a Child started, once, before it does anything else."""
    try:
        descriptor, parent = (int(number) for number in os.environ.pop(_CHANNEL).split(":"))
    except KeyError:
        raise errors.UsageError("this module is started by kgrade itself and does nothing alone") from None
    if parent == _NO_PARENT:
        _end_with(descriptor)
    else:
        if sys.platform == "linux":
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # The judge may have died before the line above took effect.
        if os.getppid() != parent:
            os._exit(1)
    os.set_inheritable(descriptor, False)
    return Channel(Connection(descriptor))


def _end_with(descriptor: int) -> None:
    """End this process and its whole group when the other end of the channel closes: the judge has ended."""

    def watch() -> None:
        poll = select.poll()
        # No event is asked for: a hang-up is always told, and messages are not this thread's.
        poll.register(descriptor, 0)
        poll.poll()
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def by_name(*operations: Callable[..., Message]) -> Callable[[Message], Message]:
    """What answers a request by the operation that it names as `do`, which gets the request's other entries."""
    known = {operation.__name__: operation for operation in operations}

    def answer(request: Message) -> Message:
        return known[request.pop("do")](**request)

    return answer


def serve(handler: Callable[[dict[str, Any]], Mapping[str, Any]], channel: Channel | None = None) -> None:
    """Answer each of the judge's messages by what `handler` makes of it, until the judge closes the child.

    An error of the handler is raised again in the judge, by its own class where `grader.errors` has it.
    """
    channel = channel or child_connection()
    while True:
        try:
            message = channel.receive()
        except EOFError:
            return
        try:
            answer = handler(message)
        except EOFError:
            return
        except errors.KgradeError as error:
            answer = {_FAILURE: {"type": type(error).__name__, "message": error.message, "hint": error.hint}}
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            answer = {_FAILURE: {"type": "", "message": text, "hint": traceback.format_exc()}}
        channel.send(answer)


def _environment(descriptor: int, parent: int, more: Mapping[str, str]) -> dict[str, str]:
    """What the child may know of the judge's environment: enough to find programs, libraries and caches."""
    kept = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith(_KEPT_PREFIXES)}
    for secret in _SECRETS:
        kept.pop(secret, None)
    folders = [str(Path(entry).absolute()) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    home = Path(__file__).absolute().parent.parent
    # For a checkout that is not installed. An installed package is found anyway, and site-packages before
    # the standard library would let old backports shadow its modules.
    if home.name not in ("site-packages", "dist-packages"):
        folders.append(str(home))
    if folders:
        kept["PYTHONPATH"] = os.pathsep.join(folders)
    # NumPy's OpenBLAS starts a thread a core when it is loaded, which takes 0.2 s on 16 cores; no child needs them.
    return {"OPENBLAS_NUM_THREADS": "1", **kept, **more, "PYTHONFAULTHANDLER": "1", _CHANNEL: f"{descriptor}:{parent}"}


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _await_exit(pid: int, seconds: float) -> None:
    """Wait until the process has ended, without reaping it: its group is still to be killed under this id."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.005)


def _end(process: subprocess.Popen[bytes], connection: Connection, errors_file: IO[bytes]) -> None:
    connection.close()
    _kill_group(process.pid)
    process.wait()
    errors_file.close()
