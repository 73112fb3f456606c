"""The compiler's process: time and memory limits, crashes, and an installation that lacks parts."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.compile import compiler, nvrtc, nvrtc_call, reading
from grader.compile.compiler import CompileFailure, Compiler
from grader.compile.program import Program
from grader.compile.toolkit import find_toolkit
from grader.core.errors import JudgeError, ToolMissing
from grader.core.report import Diagnostic
from grader.sandbox import Sandbox
from grader.sandbox.children import Child, ChildDied
from tests.compile.samples import KERNEL, PARAMETERS, build

ROOT = Path(nvrtc.__file__).parents[2]
ENDLESS = (
    "template <int N, int M> struct F {\n"
    "  static constexpr long v = F<N - 1, M * 2>::v + F<N - 1, M * 2 + 1>::v;\n"
    "};\n"
    "template <int M> struct F<0, M> { static constexpr long v = 0; };\n"
)
ENDLESS_KERNEL = ENDLESS + KERNEL.replace("expf(a[i])", "F<24, 1>::v")


def compiled(source: str, seconds: float = 60.0) -> Program:
    request = {
        "do": "kernel",
        "source": source,
        "file_name": "mine.cu",
        "kernel": "map_kernel",
        "parameters": PARAMETERS,
        "constants": {},
    }
    return reading.compile_text(request, seconds, Sandbox.find())


def refused(source: str, seconds: float = 60.0) -> Diagnostic:
    with pytest.raises(CompileFailure) as caught:
        compiled(source, seconds)
    return caught.value.diagnostics[0]


def test_compiles_in_a_process_of_its_own() -> None:
    assert compiled(KERNEL) == build(KERNEL)


def test_endless_compiling_is_stopped() -> None:
    begun = time.monotonic()
    diagnostic = refused(ENDLESS_KERNEL, 2.0)
    assert time.monotonic() - begun < 12
    assert diagnostic.message == "compiling took longer than 2 seconds and was stopped"
    assert diagnostic.hint.startswith("Look for templates that call themselves")


def test_endless_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMITS", replace(reading.LIMITS, memory=1_500_000_000))
    diagnostic = refused(ENDLESS_KERNEL)
    assert diagnostic.message.startswith("out of memory")
    assert diagnostic.hint.startswith("The compiler ran out of memory")


def crash(signal_number: int, monkeypatch: pytest.MonkeyPatch, *, always: bool = False) -> None:
    """Make the process that compiles die by a signal at the submission, and only there unless `always`."""
    real = Child.receive

    def receive(self: Child, timeout: float | None) -> dict[str, object]:
        if not always:
            monkeypatch.setattr(Child, "receive", real)
        self.kill()
        raise ChildDied("it ended", -signal_number)

    monkeypatch.setattr(Child, "receive", receive)


def test_a_crash_of_the_compiler_is_a_compile_error(monkeypatch: pytest.MonkeyPatch) -> None:
    crash(signal.SIGSEGV, monkeypatch)
    assert refused(KERNEL).message == "the compiler itself crashed on this source (SIGSEGV)"


@pytest.mark.parametrize(("number", "always"), [(signal.SIGSEGV, True), (signal.SIGKILL, False)])
def test_a_crash_that_is_not_the_sources_doing_is_the_judges(
    number: int, always: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash(number, monkeypatch, always=always)
    with pytest.raises(ChildDied, match="it ended"):
        compiled(KERNEL)


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
        "from grader.sandbox.children import serve\n"
        "serve(compile_source)\n"
    )
    with Child("calling_child", environment=fake_nvrtc(tmp_path, text)) as child:
        child.send({"source": "", "file": "a.cu", "name": None, "options": []})
        with pytest.raises(ToolMissing) as caught:
            child.receive(30)
    assert caught.value.message == message
    assert "pip install 'kgrade[cuda" in caught.value.hint


def test_the_answer_of_a_text_that_fails_has_a_log() -> None:
    answer = Compiler(find_toolkit(), "mine.cu").compile("int x = ;")
    assert not answer.ok
    assert "mine.cu(1): error: expected an expression" in answer.log
