"""The compiler's process: time and memory limits, crashes, and an installation that lacks parts."""

from __future__ import annotations

import itertools
import os
import re
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from grader.compile import compiler, nvrtc, nvrtc_call, reading
from grader.compile.compiler import CompileFailure, Compiler
from grader.compile.program import Program
from grader.compile.toolkit import find_toolkit
from grader.core.errors import JudgeError, ToolMissing
from grader.core.report import Diagnostic
from grader.sandbox import Profile, Sandbox, SandboxLimits
from grader.sandbox.children import Child, ChildDied
from grader.sandbox.places import View
from grader.sandbox.sandbox import Started
from tests.compile.samples import KERNEL, PARAMETERS, build

ROOT = Path(nvrtc.__file__).parents[2]
ENDLESS = (
    "template <int N, int M> struct F {\n"
    "  static constexpr long v = F<N - 1, M * 2>::v + F<N - 1, M * 2 + 1>::v;\n"
    "};\n"
    "template <int M> struct F<0, M> { static constexpr long v = 0; };\n"
)
ENDLESS_KERNEL = ENDLESS + KERNEL.replace("expf(a[i])", "F<24, 1>::v")


def compiled(source: str, seconds: float = 60.0, sandbox: Sandbox | None = None) -> Program:
    request = {
        "do": "kernel",
        "source": source,
        "file_name": "mine.cu",
        "kernel": "map_kernel",
        "parameters": PARAMETERS,
        "constants": {},
    }
    return reading.compile_text(request, seconds, sandbox or Sandbox.find())


def refused(source: str, seconds: float = 60.0, sandbox: Sandbox | None = None) -> Diagnostic:
    with pytest.raises(CompileFailure) as caught:
        compiled(source, seconds, sandbox)
    return caught.value.diagnostics[0]


def test_compiles_in_a_process_of_its_own() -> None:
    assert compiled(KERNEL) == build(KERNEL)


def test_endless_compiling_is_stopped() -> None:
    begun = time.monotonic()
    diagnostic = refused(ENDLESS_KERNEL, 2.0)
    assert time.monotonic() - begun < 12
    assert diagnostic.message == "compiling took longer than 2 seconds and was stopped"
    assert diagnostic.hint.startswith("Look for templates that call themselves")


class SmallSandbox(Sandbox):
    """Gives less memory than it is asked for."""

    def open(
        self, command: Sequence[str], view: View, profile: Profile, limits: SandboxLimits, *more: Any, **named: Any
    ) -> Started:
        return super().open(command, view, profile, replace(limits, memory=1_500_000_000), *more, **named)


def test_endless_memory_is_refused() -> None:
    diagnostic = refused(ENDLESS_KERNEL, sandbox=of_this_machine(SmallSandbox))
    assert diagnostic.message.startswith("out of memory")
    assert diagnostic.hint.startswith("The compiler ran out of memory")


class Crashing(Sandbox):
    """Those of its programs that are to die do it by this signal, once they could have been asked something."""

    number = signal.SIGSEGV
    dying: Iterator[bool] = itertools.repeat(True)

    def open(self, command: Sequence[str], *more: Any, **named: Any) -> Started:
        killed = ["/bin/sh", "-c", f"/bin/sleep 0.5; kill -{int(self.number)} $$"]
        return super().open(killed if next(self.dying) else command, *more, **named)


class CrashingOnce(Crashing):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        object.__setattr__(self, "dying", itertools.chain([True], itertools.repeat(False)))


class KillingOnce(CrashingOnce):
    number = signal.SIGKILL


S = TypeVar("S", bound=Sandbox)


def of_this_machine(kind: type[S]) -> S:
    """Its sandbox, as one of this kind, in which a process is to be started anew."""
    reading.end_waiting()
    found = Sandbox.find()
    return kind(found.program, found.reason, found.user, found.landlock)


def test_a_crash_of_the_compiler_is_a_compile_error() -> None:
    said = refused(KERNEL, sandbox=of_this_machine(CrashingOnce)).message
    assert said == "the compiler itself crashed on this source (SIGSEGV)"


@pytest.mark.parametrize("kind", [Crashing, KillingOnce])
def test_a_crash_that_is_not_the_sources_doing_is_the_judges(kind: type[Crashing]) -> None:
    with pytest.raises(ChildDied) as caught:
        compiled(KERNEL, sandbox=of_this_machine(kind))
    assert caught.value.signal is kind.number


def test_an_option_that_nvrtc_refuses_is_the_judges_failure() -> None:
    with pytest.raises(JudgeError, match="INVALID_OPTION"):
        Compiler(find_toolkit(), "mine.cu").compile(KERNEL, None, ["--no-such-option"])


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("NVRTC_ERROR_BUILTIN_OPERATION_FAILURE (7)", ToolMissing),
        ("NVRTC_ERROR_INTERNAL_ERROR (11)", JudgeError),
    ],
)
def test_other_failures_of_nvrtc_are_not_the_students(status: str, error: type[JudgeError]) -> None:
    with pytest.raises(error):
        compiler._check_status(status, "a log")


def test_an_incomplete_nvrtc_is_installed_again() -> None:
    with pytest.raises(ToolMissing, match="incompletely") as caught:
        compiler._check_status("NVRTC_ERROR_BUILTIN_OPERATION_FAILURE (7)", "")
    # pip takes what is installed for whole.
    assert "--force-reinstall" in caught.value.hint
    assert "'nvidia-cuda-nvrtc" in caught.value.hint


def test_the_age_of_a_gpu_is_no_news_of_the_source() -> None:
    log = f"{nvrtc_call.AGED_TARGET} '<compute/sm>_75' are deprecated\nmine.cu(1): error: no\n"
    answering = SimpleNamespace(getProgramLog=lambda program: log)
    assert nvrtc_call._log(answering, 0) == "mine.cu(1): error: no\n"


def test_out_of_memory_is_the_sources_doing() -> None:
    with pytest.raises(compiler.CompileFailure, match="ran out of memory"):
        compiler._check_status("NVRTC_ERROR_OUT_OF_MEMORY (1)", "")


def fake_nvrtc(folder: Path, text: str) -> dict[str, str]:
    package = folder / "cupy" / "cuda"
    package.mkdir(parents=True)
    for parent in (package, package.parent):
        (parent / "__init__.py").touch()
    (package / "nvrtc.py").write_text(text)
    return {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "def getVersion(): raise RuntimeError('No such file: libnvrtc.so.13\\nmore')",
            "NVRTC, NVIDIA's compiler library, can't be loaded: No such file: libnvrtc.so.13",
        ),
        ("import no_such_module", "CuPy's NVRTC can't be imported: No module named 'no_such_module'"),
    ],
)
def test_missing_parts_are_named_with_the_command_to_type(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "calling_child.py").write_text(
        "from grader.compile.nvrtc_call import compile_source\n"
        "from grader.sandbox.serving import serve\n"
        "serve(compile_source)\n"
    )
    with Child("calling_child", environment=fake_nvrtc(tmp_path, text)) as child:
        child.send({"source": "", "file": "a.cu", "name": None, "options": []})
        with pytest.raises(ToolMissing) as caught:
            child.receive(30)
    assert caught.value.message == message
    assert re.search(r"pip install .*\[cuda1[23](-gpu)?\]'", caught.value.hint)


def test_the_answer_of_a_text_that_fails_has_a_log() -> None:
    answer = Compiler(find_toolkit(), "mine.cu").compile("int x = ;")
    assert not answer.ok
    assert "mine.cu(1): error: expected an expression" in answer.log
