"""The compiler's process: time and memory limits, crashes, and an installation that lacks parts."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.compile import compiler, nvrtc, nvrtc_child
from grader.compile.compiler import Compiler
from grader.compile.toolkit import Toolkit, find_toolkit
from grader.errors import JudgeError, ToolMissing
from grader.process import Child, ChildDied
from tests.compile.samples import KERNEL, build, refusal

ROOT = Path(nvrtc.__file__).parents[2]
ENDLESS = (
    "template <int N, int M> struct F {\n"
    "  static constexpr long v = F<N - 1, M * 2>::v + F<N - 1, M * 2 + 1>::v;\n"
    "};\n"
    "template <int M> struct F<0, M> { static constexpr long v = 0; };\n"
)
ENDLESS_KERNEL = ENDLESS + KERNEL.replace("expf(a[i])", "F<24, 1>::v")


@pytest.mark.usefixtures("own_compiler")
def test_compiles_in_a_process_of_its_own() -> None:
    assert build(KERNEL).kernels[0].name == "map_kernel"


@pytest.mark.usefixtures("own_compiler")
def test_endless_compiling_is_stopped() -> None:
    begun = time.monotonic()
    (diagnostic,) = refusal(ENDLESS_KERNEL, time_limit=1.0).diagnostics
    assert time.monotonic() - begun < 10
    assert diagnostic.message == "compiling took longer than 1 seconds and was stopped"
    assert diagnostic.hint.startswith("Look for templates that call themselves")


def test_endless_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "small_child.py").write_text(
        "from grader.compile import nvrtc_child\nnvrtc_child.MEMORY_LIMIT = 2 << 30\nnvrtc_child.main()\n"
    )

    class SmallCompiler(Compiler):
        def __init__(self, toolkit: Toolkit, file: str, time_limit: float) -> None:
            super().__init__(toolkit, file, time_limit)
            self._child.close()
            self._child = Child("small_child", environment={"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})

    monkeypatch.setattr(nvrtc, "Compiler", SmallCompiler)
    (diagnostic, *_) = refusal(ENDLESS_KERNEL).diagnostics
    assert diagnostic.message.startswith("out of memory")
    assert diagnostic.hint.startswith("The compiler ran out of memory")


def crash(signal_number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the compiler die by a signal at the submission, and only there."""
    real = Child.receive

    def receive(self: Child, timeout: float | None) -> dict[str, object]:
        monkeypatch.setattr(Child, "receive", real)
        os.kill(self.pid, signal_number)
        return real(self, timeout)

    monkeypatch.setattr(Child, "receive", receive)


@pytest.mark.usefixtures("own_compiler")
def test_a_crash_of_the_compiler_is_a_compile_error(monkeypatch: pytest.MonkeyPatch) -> None:
    crash(signal.SIGSEGV, monkeypatch)
    (diagnostic,) = refusal(KERNEL).diagnostics
    assert diagnostic.message == "the compiler itself crashed on this source (SIGSEGV)"


@pytest.mark.usefixtures("own_compiler")
def test_a_crash_that_is_not_the_sources_doing_is_the_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    crash(signal.SIGSEGV, monkeypatch)
    monkeypatch.setattr(compiler, "OPTIONS", ("--no-such-option",))
    with pytest.raises(ChildDied, match="SIGSEGV"):
        build(KERNEL)


@pytest.mark.usefixtures("own_compiler")
def test_a_compiler_that_was_killed_is_the_judges_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    crash(signal.SIGKILL, monkeypatch)
    with pytest.raises(ChildDied, match="SIGKILL"):
        build(KERNEL)


def test_an_option_that_nvrtc_refuses_is_the_judges_failure() -> None:
    with Compiler(find_toolkit(), "mine.cu", 60) as own, pytest.raises(JudgeError, match="INVALID_OPTION"):
        own.compile(KERNEL, None, ["--no-such-option"])


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
    log = f"{nvrtc_child.AGED_TARGET} '<compute/sm>_75' are deprecated\nmine.cu(1): error: no\n"
    answering = SimpleNamespace(getProgramLog=lambda program: log)
    assert nvrtc_child._log(answering, 0) == "mine.cu(1): error: no\n"


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
    with Child("grader.compile.nvrtc_child", environment=fake_nvrtc(tmp_path, text)) as child:
        child.send({"source": "", "file": "a.cu", "name": None, "options": []})
        with pytest.raises(ToolMissing) as caught:
            child.receive(30)
    assert caught.value.message == message
    assert "pip install 'kgrade[cuda" in caught.value.hint


def test_the_answer_of_a_text_that_fails_has_a_log() -> None:
    with Compiler(find_toolkit(), "mine.cu", 60) as own:
        answer = own.compile("int x = ;")
    assert not answer.ok
    assert "mine.cu(1): error: expected an expression" in answer.log
