"""Finding compute-sanitizer, in places made up for the test."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from grader.run.gpu.sanitizer import find_sanitizer, watched


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without the program, whose `nvidia` packages are in the folder `nvidia`, its toolkit in `cuda`."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(sys.modules, "nvidia", packages_in(tmp_path / "nvidia"))
    return tmp_path


def packages_in(folder: Path) -> ModuleType:
    """The namespace package of NVIDIA's wheels."""
    package = ModuleType("nvidia")
    package.__spec__ = ModuleSpec("nvidia", None, is_package=True)
    package.__spec__.submodule_search_locations = [str(folder)]
    return package


def install(folder: Path, mode: int = 0o755, *more: str) -> Path:
    folder.mkdir(parents=True)
    for name in ("compute-sanitizer", *more):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(mode)
    return folder / "compute-sanitizer"


def test_a_machine_without_it(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_sanitizer(nowhere / "cuda") is None
    monkeypatch.setitem(sys.modules, "nvidia", None)
    assert find_sanitizer(nowhere / "cuda") is None


@pytest.mark.parametrize("variable", ["", "CUDA_HOME", "CUDA_PATH"])
def test_the_path_and_toolkits_come_before_wheels(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    install(nowhere / "nvidia/cu13/compute-sanitizer", 0o755, "TreeLauncherSubreaper")
    if variable:
        monkeypatch.setenv(variable, str(nowhere / "toolkit"))
    there = install(nowhere / ("toolkit/bin" if variable else "cuda/bin"))
    assert find_sanitizer(nowhere / "cuda") == there
    first = install(nowhere / "bin")
    assert find_sanitizer(nowhere / "cuda") == first


@pytest.mark.parametrize("folder", ["cu13/compute-sanitizer", "cuda_sanitizer_api/bin", "cu14/some/where"])
def test_a_wheel_with_all_its_parts_is_found_wherever_they_are(nowhere: Path, folder: str) -> None:
    there = install(nowhere / "nvidia" / folder, 0o755, "TreeLauncherSubreaper")
    assert find_sanitizer(nowhere / "cuda") == there


def test_a_wheel_that_lacks_a_part_or_cannot_be_run_is_passed_over(nowhere: Path) -> None:
    install(nowhere / "nvidia/cu13/bin")
    install(nowhere / "nvidia/cuda_sanitizer_api/bin", 0o644, "TreeLauncherSubreaper")
    assert find_sanitizer(nowhere / "cuda") is None


def test_the_log_file_is_named_without_placeholders() -> None:
    command = watched(Path("/opt/compute-sanitizer"), Path("/tmp/50%/log"))
    assert command[0] == "/opt/compute-sanitizer"
    assert command[-2:] == ("--log-file", "/tmp/50%%/log")
