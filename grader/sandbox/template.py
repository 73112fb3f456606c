"""Forks confined processes from a template that has their modules loaded, because starting Python is slow.

The template runs in its own sandbox and has seen no submission. This needs bubblewrap and nested namespaces; without
them, each process is started separately.
"""

from __future__ import annotations

import json
import os
import platform
import select
import signal
import socket
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from grader.sandbox.confinement import Confinement, make_folder, remove_folder
from grader.sandbox.places import view_of
from grader.sandbox.python import python_command, python_places
from grader.sandbox.requests import LIMITED, receive, send
from grader.sandbox.room import Room
from grader.sandbox.seccomp import filter_program

MODULE = "grader.sandbox.template_child"

STARTING = 60.0
"""Seconds for loading the modules."""
FORKING = 20.0


class TemplateFailed(Exception):
    """The system does not allow the template to fork a confined process, or the template has ended."""


class Forked:
    """A process forked from a template. `pidfd` and `status` are descriptors of its parent, which dies with it."""

    in_namespace = True

    def __init__(self, pidfd: int, status: int) -> None:
        fields = dict(line.split(":\t") for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines())
        self.pid = int(fields["Pid"])
        self.returncode = 0
        self._pidfd, self._status = pidfd, status

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def ends_within(self, seconds: float | None) -> bool:
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(None if seconds is None else seconds * 1000))

    def wait(self) -> None:
        self.ends_within(None)
        told = os.read(self._status, 64)
        for descriptor in (self._pidfd, self._status):
            os.close(descriptor)
        self.returncode = json.loads(told) if told else -signal.SIGKILL


@dataclass(frozen=True)
class Part:
    """A module that a template loads before it forks the first process of it.

    The module's `preload`, if any, is called there with `given()` as keyword arguments, and `keep` here with its
    result.
    """

    module: str
    given: Callable[[], Mapping[str, Any]] = dict
    keep: Callable[[Any], None] = lambda made: None


class Template:
    """The template for processes of one confinement, each of one of its parts. It starts with the first fork."""

    def __init__(self, confinement: Confinement, *parts: Part) -> None:
        self.folder = make_folder()
        self.confinement = confinement
        self._modules = frozenset(part.module for part in parts)
        self._parts = {part.module: part for part in parts}
        """Those that are not loaded yet."""
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._end: weakref.finalize[..., Template] = weakref.finalize(self, remove_folder, self.folder)

    def _begin(self) -> socket.socket:
        """Starts the template and returns the socket to it."""
        confinement, sandbox = self.confinement, self.confinement.sandbox
        view = view_of(confinement.profile, (*python_places(), *confinement.readable), self.folder)
        # Some modules look for the user's folders when they are imported.
        environment = confinement.environment({"OPENBLAS_NUM_THREADS": "1"}, self.folder)
        control, theirs = socket.socketpair()
        with theirs:
            command = [*python_command(MODULE), str(theirs.fileno()), str(self.folder)]
            opened = (command, view, confinement.profile, environment, theirs.fileno())
            process = _starter().submit(sandbox.open_template, *opened).result()
        self._end.detach()
        self._end = weakref.finalize(self, _end, control, process, self.folder)
        return control

    def _load(self, control: socket.socket, module: str) -> None:
        """Loads a part's module there, if it is not."""
        part = self._parts.pop(module, None)
        if part is None:
            return
        made = _ask(control, {"preload": module, "given": dict(part.given())}, (), STARTING)[0].get("made")
        if made:
            part.keep(made)

    def suits(self, module: str, confinement: Confinement) -> bool:
        """Whether it forks processes of this module with this confinement."""
        own = replace(self.confinement, limits=confinement.limits, given=confinement.given)
        return module in self._modules and confinement == own

    def fork(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        named: Mapping[str, str],
        descriptors: Sequence[int],
        confinement: Confinement,
        writes: bool,
    ) -> Forked:
        """Forks a process that runs the `main` of one of its modules. Raises TemplateFailed.

        `descriptors` are its channel, its memory and its standard error; `named` are the environment variables, in
        this order, for the numbers of the first two. The confinement's given files are in its folder, which is
        writable if `writes`.
        """
        limits = asdict(confinement.limits).items()
        request = {
            "module": module,
            "arguments": list(arguments),
            "environment": confinement.environment(environment, self.folder if writes else None),
            "named": dict(named),
            "filter": filter_program(confinement.profile, platform.machine()).hex(),
            "limits": {"core": 0, **{name: value for name, value in limits if name in LIMITED and value is not None}},
            "files": {str(self._inside(file)): file.read_bytes().hex() for file in _files(confinement.given)},
            "writable": Room().size if writes else 0,
        }
        read_end, write_end = os.pipe()
        received: list[int] = []
        try:
            with self._lock:
                self._control = self._control or self._begin()
                self._load(self._control, module)
                answer, received = _ask(self._control, request, (*descriptors, write_end), FORKING)
            if not received or answer["failure"]:
                raise TemplateFailed(answer["failure"])
        except BaseException:
            for descriptor in (read_end, *received):
                os.close(descriptor)
            raise
        finally:
            os.close(write_end)
        return Forked(received[0], read_end)

    def shown(self, path: Path) -> Path:
        """The path at which a forked process sees a given file."""
        return self.folder / self._inside(path)

    def close(self) -> None:
        self._end()

    @staticmethod
    def _inside(path: Path) -> Path:
        return path.relative_to(path.anchor)


def _ask(
    control: socket.socket, request: Mapping[str, Any], descriptors: Sequence[int], seconds: float
) -> tuple[dict[str, Any], list[int]]:
    control.settimeout(seconds)
    try:
        send(control, request, descriptors)
        answer, received = receive(control)
    except OSError as error:
        raise TemplateFailed(str(error)) from error
    if answer is None:
        raise TemplateFailed("the template has ended")
    return answer, received


@cache
def _starter() -> ThreadPoolExecutor:
    """A permanent thread that starts all templates, because each ends with the thread that started it."""
    return ThreadPoolExecutor(1, "kgrade-templates")


def _files(given: Sequence[Path]) -> Iterator[Path]:
    """Yields the given files and the contents of given folders, without byte code."""
    for path in given:
        inside = path.rglob("*") if path.is_dir() else (path,)
        yield from (file for file in inside if file.is_file() and "__pycache__" not in file.parts)


def _end(control: socket.socket, process: subprocess.Popen[bytes], folder: Path) -> None:
    control.close()
    process.kill()
    process.wait()
    remove_folder(folder)


_templates: list[Template] = []


def use_template(template: Template) -> None:
    """Registers a template: matching processes are forked from it from now on."""
    _templates.append(template)


def template_of(module: str, confinement: Confinement | None) -> Template | None:
    """The registered template for such processes; None if there is none."""
    if confinement is None:
        return None
    return next((template for template in _templates if template.suits(module, confinement)), None)


def end_templates() -> None:
    """Ends all templates, and with each the processes forked from it."""
    while _templates:
        _templates.pop().close()


def drop_template(template: Template) -> None:
    """Ends a failed template; its processes are started separately again."""
    if template in _templates:
        _templates.remove(template)
    template.close()
