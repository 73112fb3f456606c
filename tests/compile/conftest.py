"""One compiler process for the tests of this folder: its start takes ten times as long as a small kernel."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from grader.compile import nvrtc
from grader.compile.compiler import Compiler
from grader.process import Child


@pytest.fixture(scope="session")
def compiler_process() -> Iterator[Child]:
    with Child("grader.compile.nvrtc_child") as child:
        yield child


@pytest.fixture(scope="session")
def shared_compiler_class(compiler_process: Child) -> type[Compiler]:
    class SharedCompiler(Compiler):
        def __init__(self, toolkit: nvrtc.Toolkit, file: str, time_limit: float) -> None:
            self.file = file
            self.includes = tuple(str(folder) for folder in toolkit.includes)
            self._time_limit = time_limit
            self._until = time.monotonic() + time_limit
            self._child = compiler_process

        def __exit__(self, *reason: object) -> None:
            """The process lives on."""

    return SharedCompiler


@pytest.fixture(autouse=True)
def shared_compiler(shared_compiler_class: type[Compiler], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "Compiler", shared_compiler_class)


@pytest.fixture
def own_compiler(shared_compiler: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test that ends its compiler, or is about its start."""
    monkeypatch.setattr(nvrtc, "Compiler", Compiler)
