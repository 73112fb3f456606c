"""The doctor on machines where CUDA's parts are missing, are there twice, or don't go together."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy
import pytest

from grader.doctor import cuda as doctor_cuda
from grader.doctor import machine
from grader.doctor.cuda import look_for_cublas
from grader.doctor.part import Finding, look_for
from grader.machine.own_install import extra_command
from grader.run import emulator_child
from grader.store.workspace import Workspace

from .conftest import Machine, Smi

PARTS = {part.name: part for part in (*doctor_cuda.COMPILER_PARTS, *doctor_cuda.GPU_PARTS)}


def look(name: str) -> Finding:
    found = look_for(PARTS[name], Workspace(Path("/nowhere")))
    assert found is not None
    return found


def test_the_extra_that_is_here(machine: Machine) -> None:
    machine.has(12)
    found = look("CUDA packages")
    assert (found.here, found.found, found.get) == (True, "cuda12, CuPy 14.2.0", "")


def test_neither_extra(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    found = look("CUDA packages")
    assert (found.here, found.required, found.found) == (False, True, "neither cuda13 nor cuda12 is installed")
    assert found.get == extra_command("cuda13")


def test_a_cupy_of_another_origin(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = ModuleType("cupy")
    cupy.__spec__ = ModuleSpec("cupy", None)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    assert look("CUDA packages").here


def test_both_extras(machine: Machine) -> None:
    machine.has(13, 12)
    for name in ("CUDA packages", "NVRTC"):
        found = look(name)
        assert (found.here, found.required) == (False, True)
        assert found.found == "cupy-cuda13x and cupy-cuda12x are both installed, and break each other"
        assert found.get == f"pip uninstall --yes cupy-cuda13x cupy-cuda12x && {extra_command('cuda13')}"


@pytest.mark.parametrize(
    ("cupy", "driver", "found", "get"),
    [
        (13, "550.54.14", "CUDA 13 needs driver 580 or newer, and this machine's is 550.54.14", "[cuda12-gpu]'"),
        (12, "515.65.01", "515.65.01; any CUDA that kgrade can use needs 525 or newer", "install NVIDIA's driver 580"),
        (13, "470.1", "470.1; any CUDA that kgrade can use needs 525 or newer", "install NVIDIA's driver 580"),
    ],
)
def test_a_driver_that_is_too_old(
    machine: Machine,
    nvidia_smi: Smi,
    monkeypatch: pytest.MonkeyPatch,
    cupy: int,
    driver: str,
    found: str,
    get: str,
) -> None:
    monkeypatch.setenv("PATH", str(nvidia_smi(driver, driver)))
    machine.has(cupy)
    machine.with_gpus(driver, (9, 0), (9, 0))
    row = look("driver")
    assert (row.here, row.fits, row.found) == (False, False, found)
    assert get in row.get


@pytest.mark.parametrize(("cupy", "driver"), [(13, "580.65.06"), (12, "525.60.13"), (12, "580.65.06")])
def test_a_driver_that_fits(
    machine: Machine, nvidia_smi: Smi, monkeypatch: pytest.MonkeyPatch, cupy: int, driver: str
) -> None:
    monkeypatch.setenv("PATH", str(nvidia_smi(driver)))
    machine.has(cupy)
    assert look("driver") == Finding("driver", True, False, driver)


def test_an_nvidia_smi_that_fails_is_quoted(nvidia_smi: Smi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(nvidia_smi("NVIDIA-SMI has failed", code=9)))
    row = look("driver")
    assert (row.here, row.fits, row.found) == (False, True, "NVIDIA-SMI has failed")


@pytest.mark.parametrize(
    ("cupy", "capability", "found", "get"),
    [
        (13, (7, 0), "gpu:1 NVIDIA Sample: CUDA 13 needs compute capability 7.5 (Turing) or newer", "[cuda12-gpu]"),
        (12, (3, 7), "gpu:1 NVIDIA Sample: CUDA 12 needs compute capability 5.0 (Maxwell) or newer", "[cuda12]"),
    ],
)
def test_a_gpu_that_the_extra_does_not_know(
    machine: Machine, cupy: int, capability: tuple[int, int], found: str, get: str
) -> None:
    machine.has(cupy)
    machine.with_gpus("580.65.06", (9, 0), capability)
    row = look("GPU")
    assert (row.here, row.fits) == (False, False)
    assert row.found.startswith(found)
    assert get in row.get


def test_gpus_that_fit_are_listed(machine: Machine) -> None:
    machine.has(13)
    machine.with_gpus("580.65.06", (9, 0), (7, 5))
    assert look("GPU").found == "gpu:0 NVIDIA Sample (sm_90a, 8 GiB), gpu:1 NVIDIA Sample (sm_75, 8 GiB)"


@pytest.mark.parametrize(("here", "there"), [(13, 12), (12, 13)])
def test_cublas_is_asked_for_where_there_is_a_gpu_and_of_the_same_cuda(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, here: int, there: int
) -> None:
    monkeypatch.setitem(sys.modules, "nvidia", None)
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: f"libcublas.so.{there}")
    machine.has(here)
    part = replace(PARTS["cuBLAS"], look=lambda workspace: look_for_cublas(workspace, tmp_path))
    assert look_for(part, Workspace(Path("/nowhere"))) is None
    machine.with_gpus("580.65.06", (9, 0))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / f"libcublas.so.{there}").touch()
    row = look_for(part, Workspace(Path("/nowhere")))
    assert row is not None
    assert (row.here, row.required, row.get) == (False, False, extra_command(f"cuda{here}-gpu"))
    library = tmp_path / "lib" / f"libcublas.so.{here}"
    library.touch()
    row = look_for(part, Workspace(Path("/nowhere")))
    assert row is not None
    assert row.found == str(library)


def test_byte_code_that_is_cached_and_that_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = next(part for part in machine.PARTS if part.name == "byte code")
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    site = Path(numpy.__file__).parent.parent
    found = look_for(part, Workspace(Path("/nowhere")))
    assert found is not None
    assert (found.here, found.required) == (False, False)
    assert found.found == "NumPy's is not cached, and PYTHONDONTWRITEBYTECODE is set"
    assert found.get == f"{sys.executable} -m compileall -q {site}"

    def cache(module: str) -> None:
        cached = Path(importlib.util.cache_from_source(module))
        cached.parent.mkdir(parents=True)
        cached.touch()

    cache(numpy.__file__)
    found = look_for(part, Workspace(Path("/nowhere")))
    assert found is not None
    assert found.found == "kgrade's is not cached, and PYTHONDONTWRITEBYTECODE is set"
    assert found.get == f"{sys.executable} -m compileall -q {Path(machine.__file__).parents[1]}"
    cache(emulator_child.__file__)
    found = look_for(part, Workspace(Path("/nowhere")))
    assert found is not None
    assert found.here


def test_byte_code_that_can_not_be_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = next(part for part in machine.PARTS if part.name == "byte code")
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    found = look_for(part, Workspace(Path("/nowhere")))
    assert found is not None
    assert found.found.startswith("NumPy's is not in ")
    assert found.get.startswith(f"as the owner of it: {sys.executable} -m compileall")
