"""The judge's side of the process that reads a submission's text; the judge itself parses none of it.

A process reads only one text. After recognising it, the process waits for requests to compile it, the last of which is
for a debug build.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader import __version__
from grader.compile.compiler import CompileFailure
from grader.compile.program import Program, diagnostic_from_json, program_from_json
from grader.compile.toolkit import find_host_compiler, find_nvcc, find_toolkit
from grader.core.errors import JudgeError, ToolMissing
from grader.core.files import Room, keep, read_kept
from grader.core.paths import cache_folder
from grader.core.report import Diagnostic
from grader.core.verdict import Form
from grader.sandbox import Confinement, Profile, Sandbox, SandboxLimits
from grader.sandbox.children import Child, ChildDied, ChildFailed, ChildTimeout

MODULE = "grader.compile.reading_child"

SECONDS = 20.0
"""Time limit for reading a text of the largest size on a loaded machine."""
PARSER_SECONDS = 5.0
"""What Python's own parser may take."""
HIGHLIGHT_SECONDS = 5.0
TRIAL_SECONDS = 60.0
GRACE_SECONDS = 10.0
"""Extra time for the process itself beyond nvcc's time limit."""

_ROOM = Room(files=2000, size=256 << 20)
"""The room for what is kept of texts."""
_PLACES = ("PATH", "LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX")
"""The environment variables that say where compilers are."""
_CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)

LIMITS = SandboxLimits(memory=6 << 30, cpu_seconds=None, file_bytes=256 << 20, processes=64, descriptors=256)
"""The memory limit covers nvcc too: the largest libraries of templates take more than 4 GB."""

Lines = Sequence[Sequence[tuple[str, str]]]
"""For each line, its pieces in order: Pygments' short class or "", and the piece."""

_CLASS = re.compile(r"[a-z0-9]{0,4}")

TOO_LONG = "compiling took longer than {:g} seconds and was stopped"
TOO_MUCH = "compiling needs more room for temporary files than there is"
TOO_LONG_HINT = "Look for templates that call themselves, long unrolled loops, or huge initialised arrays."


@dataclass(frozen=True)
class Recognised:
    """A recognised text. `kernels` are the names of its `__global__` functions, `macros` its `#define`s with texts."""

    form: Form
    kernels: tuple[str, ...]
    macros: tuple[tuple[str, str], ...]


NO_ANSWER = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""Exceptions raised by an answer of the wrong form, or with infinity for a number."""

_waiting: list[tuple[str, Child]] = []
"""The waiting process, at most one, with the text that it has read."""


def confinement_of(sandbox: Sandbox) -> Confinement | None:
    """The confinement of the process, which also sees the compilers; None if there is no sandbox."""
    return Confinement(sandbox, Profile.COMPILE, _compilers(), limits=LIMITS) if sandbox.protects else None


def recognise(text: str) -> Recognised:
    """Recognises what kind of submission a text is. Raises JudgeError if it can't be read in time."""
    file = _file(text, "recognised")
    known = _load(file)
    if known is not None:
        return known
    child = _start(Sandbox.find())
    try:
        child.send({"do": "recognise", "text": text})
        answer = child.receive(SECONDS)
        found = _recognised(answer)
    except NO_ANSWER:
        child.close()
        raise JudgeError("the submission's text was read as something that it can't be") from None
    except BaseException:
        child.close()
        raise
    end_waiting()
    _waiting.append((text, child))
    _store(file, answer)
    return found


def recognise_python(text: str) -> tuple[str, tuple[str, ...]]:
    """The name of the language that a text in Python uses, empty if it uses none that kgrade knows, and its kernels,
    none if Python's own parser does not come to its end.

    Raises JudgeError if the text can't be read in time.
    """
    file = _file(text, "python")
    known = None
    with suppress(OSError, RecursionError, *NO_ANSWER):
        known = _recognised_python(json.loads(read_kept(file)))
    if known is not None:
        return known
    with _start(Sandbox.find()) as child:
        try:
            child.send({"do": "recognise_python", "text": text})
            answer = {**child.receive(SECONDS), "kernels": []}
            with suppress(ChildDied, ChildTimeout, ChildFailed):
                child.send({"do": "kernels_of_python", "text": text})
                answer |= child.receive(PARSER_SECONDS)
            found = _recognised_python(answer)
        except NO_ANSWER:
            raise JudgeError("the submission's text was read as something that it can't be") from None
    _store(file, answer)
    return found


def _recognised_python(data: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    return str(data["language"]), tuple(str(name) for name in data["kernels"])


def compile_text(request: Mapping[str, Any], time_limit: float, sandbox: Sandbox) -> Program:
    """Compiles the request's `source`. Raises CompileFailure, ToolMissing, or another JudgeError.

    A debug build has to be the last compilation of a text.
    """
    text = request["source"]
    child = _take(text, sandbox)
    try:
        program = _compile(child, request, time_limit, sandbox)
    except BaseException:
        child.close()
        raise
    if request.get("debug"):
        _end(text, child)
    else:
        end_waiting()
        _waiting.append((text, child))
    return program


def highlight(text: str, python: bool = False) -> Lines | None:
    """The words of the text's lines with their classes; None if that fails, which only costs colours."""
    known = known_highlight(text)
    return known if known is not None else _highlight(_take(text, Sandbox.find()), text, python)


def known_highlight(text: str) -> Lines | None:
    """The same from the cache, without reading the text; None if it is not cached."""
    try:
        return _words(json.loads(read_kept(_file(text, "words"))), text)
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def end_waiting() -> None:
    """Ends the waiting process."""
    while _waiting:
        _end(*_waiting.pop())


def _end(text: str, child: Child) -> None:
    """Ends a process, after asking it for the words of its text as a page will show it: without its last newline."""
    shown = text.removesuffix("\n")
    if known_highlight(shown) is None:
        _highlight(child, shown)
    child.close()


def _compile(child: Child, request: Mapping[str, Any], time_limit: float, sandbox: Sandbox) -> Program:
    child.send({**request, "time_limit": time_limit})
    # The process itself stops nvcc in time, so that it has nvcc's output.
    grace = GRACE_SECONDS if request["do"] == "solve" else 0.0
    try:
        answer = child.receive(time_limit + grace)
    except ChildTimeout:
        raise CompileFailure([Diagnostic("error", TOO_LONG.format(time_limit), hint=TOO_LONG_HINT)]) from None
    except ChildDied as died:
        raise explain_crash(died, sandbox) from None
    try:
        if "failure" in answer:
            raise CompileFailure([diagnostic_from_json(one) for one in answer["failure"]], str(answer["log"]))
        program = program_from_json(answer["program"])
        form = Form.SOLVE if request["do"] == "solve" else Form.KERNEL
        if program.form is not form or program.constants.keys() != request.get("constants", {}).keys():
            raise ValueError("it is of another form, or has other constants")
        # Raises for text with lone surrogates, which can't be passed on.
        program.image.encode()
        return program
    except NO_ANSWER as error:
        raise JudgeError(f"the compiler's process answered what is no program: {error}") from None


def explain_crash(died: ChildDied, sandbox: Sandbox) -> Exception:
    """The error to raise after a crash: it is the submission's fault only if the compiler works without it."""
    if died.full:
        return CompileFailure([Diagnostic("error", TOO_MUCH, hint=TOO_LONG_HINT)], died.output)
    if died.signal not in _CRASHES:
        return died
    empty = {"source": "__global__ void k() {}", "file_name": "k.cu", "kernel": "k", "parameters": [], "constants": {}}
    with _start(sandbox) as child:
        child.send({"do": "kernel", **empty, "time_limit": 0.0})
        if "program" not in child.receive(TRIAL_SECONDS):
            return died
    message = f"the compiler itself crashed on this source ({died.signal.name})"
    hint = "Take parts of the file out until it compiles; the part that crashes it is among those."
    return CompileFailure([Diagnostic("error", message, hint=hint)], died.output)


def _highlight(child: Child, text: str, python: bool = False) -> Lines | None:
    """Asks the process for the text's words, and ends it."""
    with child:
        try:
            child.send({"do": "highlight", "text": text, "python": python})
            lines = child.receive(HIGHLIGHT_SECONDS)["lines"]
            found = _words(lines, text)
        except (JudgeError, *NO_ANSWER):
            return None
    _store(_file(text, "words"), lines)
    return found


def _words(data: Any, text: str) -> Lines:
    """Validates words: if they did not match the text or had invalid classes, a page would show something else."""
    lines = [[(str(kind), str(word)) for kind, word in line] for line in data]
    if "\n".join("".join(word for _, word in line) for line in lines) != text:
        raise ValueError("these are not the words of the text")
    if not all(_CLASS.fullmatch(kind) for line in lines for kind, _ in line):
        raise ValueError("a class that Pygments does not have")
    return lines


def _take(text: str, sandbox: Sandbox) -> Child:
    """Takes the waiting process that has read this text, or starts a new one."""
    for pair in _waiting:
        if pair[0] == text:
            _waiting.remove(pair)
            return pair[1]
    return _start(sandbox)


def _start(sandbox: Sandbox) -> Child:
    return Child(MODULE, confinement=confinement_of(sandbox), scratch=())


def _compilers() -> tuple[Path, ...]:
    """Files and folders of the installed compilers; a missing one is reported when it is needed."""
    return _found_by(tuple(sys.path), tuple(os.environ.get(name) for name in _PLACES))


@lru_cache(maxsize=8)
def _found_by(packages: tuple[str, ...], places: tuple[str | None, ...]) -> tuple[Path, ...]:
    """The same for these values of what the search depends on: it takes as long as compiling a small kernel."""
    found: list[Path] = []
    with suppress(ToolMissing):
        toolkit = find_toolkit()
        found += [*toolkit.includes, *([toolkit.nvrtc.parent] if toolkit.nvrtc is not None else [])]
    with suppress(ToolMissing):
        nvcc = find_nvcc()
        found += [nvcc.root, *nvcc.includes, find_host_compiler(nvcc).parent.parent]
    # The system's own programs are visible anyway.
    return tuple(path for path in dict.fromkeys(found) if path != Path("/"))


@lru_cache
def _revision() -> str:
    """What reads a text, so that what an earlier version found in it is not taken for what this one finds."""
    digest = hashlib.sha256(__version__.encode())
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _file(text: str, kind: str) -> Path:
    name = hashlib.sha256(f"{_revision()}\0{kind}\0{text}".encode()).hexdigest()
    return cache_folder() / "texts" / f"{name}.json"


def _store(file: Path, data: Any) -> None:
    keep(file, json.dumps(data).encode(), _ROOM)


def _load(file: Path) -> Recognised | None:
    try:
        return _recognised(json.loads(read_kept(file)))
    except (OSError, RecursionError, *NO_ANSWER):
        return None


def _recognised(data: Mapping[str, Any]) -> Recognised:
    return Recognised(
        Form(data["form"]),
        tuple(str(name) for name in data["kernels"]),
        tuple((str(name), str(value)) for name, value in data["macros"]),
    )
