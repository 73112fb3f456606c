"""One compiler process for all tests of this folder: starting one takes ten times as long as a small kernel."""

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


@pytest.fixture(autouse=True)
def shared_compiler(
    request: pytest.FixtureRequest, compiler_process: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    if request.node.get_closest_marker("own_process") is not None:
        return

    class SharedCompiler(Compiler):
        def __init__(self, toolkit: nvrtc.Toolkit, file: str, time_limit: float) -> None:
            self.file = file
            self.includes = tuple(str(folder) for folder in toolkit.includes)
            self._time_limit = time_limit
            self._until = time.monotonic() + time_limit
            self._child = compiler_process

        def __exit__(self, *reason: object) -> None:
            """The process lives on."""

    monkeypatch.setattr(nvrtc, "Compiler", SharedCompiler)
