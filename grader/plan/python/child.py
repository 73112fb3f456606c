"""The confined process that imports one submission in Python and calls its solve(), as often as the judge asks.

It has no GPU and no data: arrays are addresses. Its messages are those of a recorder (grader.plan.frames).
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import linecache
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.core.errors import ToolMissing
from grader.core.verdict import LanguageName
from grader.machine.cuda_packages import language_command
from grader.plan.python.arrays import load_torch, prepare_torch
from grader.plan.python.driver import Argument, DeviceArray, Driver, Memo, Scalar
from grader.plan.python.tape import Blank, Device, Excess, Judge, OutOfMemory, Refusal, Tape
from grader.sandbox.serving import Message, by_name, child_connection, serve

PRINTED_LIMIT = 10_000
MESSAGE_LIMIT = 1000
"""Characters of what an exception says."""
DRIVERS = {
    "triton": ("grader.plan.python.triton.driver", "TritonDriver"),
    "cutile": ("grader.plan.python.cutile.driver", "CutileDriver"),
    "cute": ("grader.plan.python.cute.driver", "CuteDriver"),
    "numba": ("grader.plan.python.numba.driver", "NumbaDriver"),
}
"""The module and the class of each language's driver."""
MODULE_NAME = "submission"


class NotASubmission(Exception):
    """What keeps the file from being a submission, and at which line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class _Printed(io.TextIOBase):
    """Standard output, of which the beginning is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text[: PRINTED_LIMIT - len(self.text)]
        return len(text)


class Worker:
    """Answers the judge's requests, one at a time."""

    def __init__(self, channel: Judge) -> None:
        self._channel = channel
        self._driver: Driver | None = None
        self._file = self._text = ""
        self._memo = Memo({})
        self._tape: Tape | None = None

    def load(self, language: str, kept: Mapping[str, str], packages: str, torch: bool) -> Message:
        """Loads the language, and PyTorch if the text that is to come may import it: that is none of the text's time.
        `kept` is code that was compiled earlier for that text, `packages` the folder that has the language's own
        packages, if it has any."""
        os.environ["KGRADE_PACKAGES"] = packages
        self._memo = Memo({key: bytes.fromhex(code) for key, code in kept.items()})
        module, name = DRIVERS[language]
        try:
            self._driver = getattr(importlib.import_module(module), name)(self._memo)
        except ModuleNotFoundError as missing:
            hint = f"type: {language_command(LanguageName(language))}"
            raise ToolMissing(f"this file needs the Python package {missing.name}", hint) from None
        self._driver.install(self._current)
        if torch:
            load_torch()
        return {}

    def open(self, text: str, file: str, parameters: Sequence[str], device: Mapping[str, Any]) -> Message:
        """Imports the text once; answers with what keeps it from being a submission, if anything does. `parameters`
        are the names of solve()'s, in order; `device` is what the file may ask about while it is imported."""
        self._file, self._text = file, text
        self._tape = Blank(self._channel, _device(device), False, file)
        prepare_torch(text, self._current)
        # There is no such file: code that names a folder would differ from process to process.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        return self._told(lambda: _check(self._import(), parameters))

    def solve(self, arguments: Sequence[Mapping[str, Any]], device: Mapping[str, Any], machine_code: bool) -> Message:
        """Imports the submission anew and records one call of its solve()."""
        assert self._driver is not None
        tape = self._tape = Tape(self._channel, _device(device), machine_code, self._file)
        driver = self._driver

        def record() -> None:
            driver.call(self._import(), [_argument(one) for one in arguments], tape)

        answer = self._told(record)
        tape.flush()
        added, self._memo.added = self._memo.added, {}
        return {**answer, "kept": {key: code.hex() for key, code in added.items()}}

    def _current(self) -> Tape:
        if self._tape is None:
            raise Refusal("the import", "the file uses the device while it is imported", "do so in solve()")
        return self._tape

    def _import(self) -> ModuleType:
        """Runs the submission's file as a new module."""
        module = ModuleType(MODULE_NAME)
        module.__file__ = self._file
        sys.modules[MODULE_NAME] = module
        try:
            code = compile(self._text, self._file, "exec")
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            # A MemoryError has no words.
            words = _words_of(error) or type(error).__name__
            raise NotASubmission(f"Python can't parse the file: {words}", 1) from None
        exec(code, module.__dict__)
        return module

    def _told(self, run: Callable[[], object]) -> Message:
        """Runs the submission's code; answers with the last frame of a recording."""
        printed = _Printed()
        try:
            with contextlib.redirect_stdout(printed):
                run()
            answer: Message = {"op": "end", "errors": []}
        except Refusal as refused:
            told = {"fault": "unsupported_call", "call": refused.call, "message": refused.message, "hint": refused.hint}
            answer = {"op": "stop", **told, "at": self._line_of(refused)}
        except Excess as excess:
            answer = {"op": "stop", "fault": excess.kind, "message": str(excess), "at": self._line_of(excess)}
        except OutOfMemory as full:
            answer = {"op": "stop", "fault": "memory", "message": str(full), "at": self._line_of(full)}
        except BaseException as error:
            answer = {"op": "stop", **self._failure(error)}
        return {**answer, "printed": printed.text}

    def _failure(self, error: BaseException) -> Message:
        line = self._line_of(error)
        if isinstance(error, SyntaxError) and error.filename == self._file:
            return {"fault": "compile", "message": f"{type(error).__name__}: {error.msg}", "at": [error.lineno or 0]}
        if isinstance(error, NotASubmission):
            return {"fault": "compile", "message": str(error), "at": [error.line]}
        assert self._driver is not None
        found = getattr(self._driver, "compile_failure", lambda error: None)(error)
        if found is not None:
            message, inner = found
            return {"fault": "compile", "message": message, "at": [inner] if inner else line}
        if isinstance(error, MemoryError):
            return {"fault": "memory", "message": _words_of(error) or "an allocation fails", "at": line}
        return {"fault": "exception", "call": type(error).__name__, "message": _words_of(error), "at": line}

    def _line_of(self, error: BaseException) -> list[int]:
        """The innermost line of the submission on the way of an exception."""
        frames = traceback.extract_tb(error.__traceback__)
        return [frame.lineno or 0 for frame in frames if frame.filename == self._file][-1:]


def _words_of(error: BaseException) -> str:
    """What an exception says of itself, if it can."""
    try:
        return str(error)[:MESSAGE_LIMIT]
    except Exception as second:
        return f"its text can't be made: {type(second).__name__}"


def _check(module: ModuleType, parameters: Sequence[str]) -> None:
    solve = getattr(module, "solve", None)
    wanted = f"def solve({', '.join(parameters)})"
    if solve is None:
        raise NotASubmission(f"the file has no solve(): {wanted} is expected", 1)
    plain = inspect.unwrap(getattr(solve, "__wrapped__", solve))
    code = getattr(plain, "__code__", None)
    if code is None:
        return
    found = code.co_argcount
    if found != len(parameters) and not code.co_flags & inspect.CO_VARARGS:
        message = f"solve() has {found} parameters, {len(parameters)} are expected: {wanted}"
        raise NotASubmission(message, code.co_firstlineno)
    names = code.co_varnames[:found]
    if sorted(names) == sorted(parameters) and names != tuple(parameters):
        order = ", ".join(names)
        message = f"solve() has the parameters {order} in this order, but they come by position: {wanted} is expected"
        raise NotASubmission(message, code.co_firstlineno)


def preload_language(language: str) -> None:
    """Loads a language's driver and the packages that its submissions import, as far as they are installed."""
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module(DRIVERS[language][0])
        load_torch()


def _device(told: Mapping[str, Any]) -> Device:
    attributes = {int(number): value for number, value in told["attributes"].items()}
    return Device(told["name"], told["memory"], attributes)


def _argument(told: Mapping[str, Any]) -> Argument:
    if "address" in told:
        return DeviceArray(told["name"], told["dtype"], tuple(told["shape"]), told["address"])
    return Scalar(told["name"], told["kind"], told["value"])


def main() -> None:
    channel = child_connection()
    os.chdir(Path.home())
    sys.dont_write_bytecode = True
    # Nobody would read them.
    warnings.simplefilter("ignore")
    worker = Worker(channel)
    serve(by_name(worker.load, worker.open, worker.solve), channel)


if __name__ == "__main__":
    main()
