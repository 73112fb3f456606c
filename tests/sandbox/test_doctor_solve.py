"""The doctor's rows about files with their own solve(): what is here, what is missing, and a sandbox that leaks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.core.errors import ToolMissing
from grader.doctor import solve as doctor_solve
from grader.doctor.part import Finding, look_for
from grader.sandbox import Sandbox
from grader.sandbox.check import PROPERTIES, Outcome
from grader.store.workspace import Workspace
from tests.sandbox.conftest import landlock, namespaces

PARTS = {part.name: part for part in doctor_solve.SOLVE_PARTS}


def look(name: str) -> Finding:
    found = look_for(PARTS[name], Workspace(Path("/nowhere")))
    assert found is not None
    return found


def outcomes(*broken: str) -> list[Outcome]:
    return [Outcome(one, "something" if one.probe in broken else "") for one in PROPERTIES]


@pytest.mark.parametrize(
    ("broken", "user", "get"),
    [
        ((), 1000, ""),
        (("network",), 1000, "update bubblewrap and the kernel"),
        (("many",), 0, "run kgrade as another user than root"),
        (("many",), 1000, "update bubblewrap and the kernel"),
        (("many", "memory"), 0, "update bubblewrap and the kernel"),
    ],
)
def test_the_sandbox_is_tried(monkeypatch: pytest.MonkeyPatch, broken: tuple[str, ...], user: int, get: str) -> None:
    sandbox = namespaces()

    def check(_: Sandbox) -> Iterator[Outcome]:
        yield from outcomes(*broken)

    monkeypatch.setattr("grader.sandbox.check.check", check)
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr("grader.sandbox.Sandbox.find", lambda required=False: sandbox)
    found = look("sandbox")
    assert (found.here, found.fits) == (not broken, not broken)
    assert found.get.startswith(get)
    assert all(one.name in found.found for one in PROPERTIES if one.probe in broken)


def test_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.sandbox.sandbox.find_program", lambda: None)
    monkeypatch.setattr("grader.sandbox.sandbox.landlock_version", lambda: 0)
    found = look("sandbox")
    assert (found.here, found.required, found.get) == (False, False, "apt install bubblewrap")
    assert "bubblewrap is not installed" in found.found


def test_landlock_is_named_with_what_it_gives_less(monkeypatch: pytest.MonkeyPatch) -> None:
    landlock()
    monkeypatch.setattr("grader.sandbox.sandbox.find_program", lambda: None)
    monkeypatch.setattr("grader.sandbox.check.check", lambda _: iter(outcomes()))
    found = look("sandbox")
    assert (found.fits, found.get) == (False, "apt install bubblewrap")
    assert found.found.startswith("Landlock, version ")
    assert doctor_solve.LESS in found.found


def test_no_nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ToolMissing("nvcc is not installed", "type: pip install it")

    monkeypatch.setattr("grader.compile.toolkit.find_nvcc", missing)
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert (look("nvcc").found, look("nvcc").get) == ("nvcc is not installed", "pip install it")
    # Without nvcc nobody knows which g++ would do, but that there is none is known.
    assert (look("g++").found, look("g++").get) == ("not found", "apt install g++")
