"""The doctor's rows about files with their own solve(): what is here, what is missing, and a sandbox that leaks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.verdict import LanguageName
from grader.doctor import solve as doctor_solve
from grader.doctor.part import Finding, look_for
from grader.doctor.solve import describe_sandbox, language_part, look_for_host_compiler, look_for_nvcc
from grader.languages.python import PythonLanguage
from grader.machine.cuda_packages import nvcc_command
from grader.machine.own_install import extra_command
from grader.sandbox import Sandbox
from grader.sandbox.check import PROPERTIES, Outcome
from grader.store.workspace import Workspace
from tests.sandbox.conftest import namespaces

ROOT = Path(__file__).parents[2]
PARTS = {part.name: part for part in doctor_solve.SOLVE_PARTS}


def look(name: str, look: Callable[[Workspace], str | None]) -> Finding:
    found = look_for(replace(PARTS[name], look=look), Workspace(Path("/nowhere")))
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
    monkeypatch.setattr("os.geteuid", lambda: user)
    found = look("sandbox", lambda _: describe_sandbox(sandbox, outcomes(*broken)))
    assert (found.here, found.fits) == (not broken, not broken)
    assert found.get.startswith(get)
    assert all(one.name in found.found for one in PROPERTIES if one.probe in broken)


def test_no_sandbox() -> None:
    found = look("sandbox", lambda _: Sandbox.of(None, 0, required=True).name)
    assert (found.here, found.required, found.get) == (False, False, "apt install bubblewrap")
    assert "bubblewrap is not installed" in found.found


def test_landlock_is_named_with_what_it_gives_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = look("sandbox", lambda _: describe_sandbox(Sandbox.of(None, 3), outcomes()))
    assert (found.fits, found.get) == (False, "apt install bubblewrap")
    assert found.found.startswith("Landlock, version ")
    assert doctor_solve.LESS in found.found


def test_no_nvcc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setitem(sys.modules, "nvidia", None)
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    nvcc = look("nvcc", lambda workspace: look_for_nvcc(workspace, tmp_path))
    assert nvcc.found.startswith("nvcc is not installed")
    assert nvcc.get == nvcc_command()
    # Without nvcc nobody knows which g++ would do, but that there is none is known.
    compiler = look("g++", lambda workspace: look_for_host_compiler(workspace, tmp_path))
    assert (compiler.found, compiler.get) == ("not found", "apt install g++")


def test_the_languages_in_python_that_are_here_and_those_that_are_not() -> None:
    # pytest stands for a package that is here.
    here = look_for(language_part(PythonLanguage(LanguageName.TRITON, "triton", "pytest")), Workspace(Path("/nowhere")))
    assert here is not None and (here.here, here.found) == (True, f"pytest {pytest.__version__}")
    gone = look_for(language_part(PythonLanguage(LanguageName.CUTE, "gone", "gone")), Workspace(Path("/nowhere")))
    assert gone is not None and not gone.here and not gone.required
    assert (gone.name, gone.found) == ("CuTe DSL", "gone is not installed")
    assert gone.costs == "files in CuTe DSL can't be graded"
    assert gone.get == extra_command("cute")
    assert {"Triton", "cuTile", "CuTe DSL", "Numba"} <= set(PARTS)


def test_no_package_of_a_language_is_imported_to_look_for_it() -> None:
    script = (
        "import sys; from grader.languages.registry import LANGUAGES; [one.missing() for one in LANGUAGES]; "
        "print({'triton', 'cutlass', 'numba', 'cuda.tile'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"
