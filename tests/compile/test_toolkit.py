"""Finding NVRTC and the CUDA headers in the layouts that wheels and toolkits have."""

from __future__ import annotations

import importlib.machinery
from pathlib import Path

import pytest

from grader.compile import toolkit
from grader.compile.toolkit import find_toolkit
from grader.errors import ToolMissing
from grader.extras import EXTRAS, Extra

CUDA_13, CUDA_12 = EXTRAS


def make(root: Path, *files: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine with a CuPy of unknown origin and nothing else."""
    install(monkeypatch, None)
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(toolkit, "SYSTEM_TOOLKIT", Path("/nonexistent"))
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    return monkeypatch


def install(
    monkeypatch: pytest.MonkeyPatch, nvidia: Path | None, cupy: bool = True, extra: Extra | None = None
) -> None:
    def find(name: str) -> importlib.machinery.ModuleSpec | None:
        if name == "nvidia":
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(nvidia)]
            return spec if nvidia is not None else None
        return importlib.machinery.ModuleSpec(name, None, origin="__init__.py" if cupy else None)

    monkeypatch.setattr(toolkit, "find_spec", find)
    monkeypatch.setattr(toolkit, "require_one", lambda: extra)


def test_this_installation_has_all_parts() -> None:
    found = find_toolkit()
    assert found.nvrtc is not None
    assert found.nvrtc.is_file()
    assert found.headers
    assert any((folder / "cuda" / "std" / "limits").is_file() for folder in found.includes)


def test_wheels_of_cuda_13(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path / "cu13", "lib/libnvrtc.so.13", "include/cuda_runtime.h", "include/crt/host_defines.h")
    make(tmp_path / "cu13", "include/cccl/cuda/std/limits")
    install(bare, tmp_path)
    found = find_toolkit()
    assert found.nvrtc == tmp_path / "cu13/lib/libnvrtc.so.13"
    assert found.includes == (tmp_path / "cu13/include", tmp_path / "cu13/include/cccl")
    assert found.headers


def test_the_newest_of_several_wheels(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path, "cu12/lib/libnvrtc.so.12", "cu13/lib/libnvrtc.so.13")
    install(bare, tmp_path)
    assert find_toolkit().nvrtc == tmp_path / "cu13/lib/libnvrtc.so.13"


def test_wheels_of_cuda_12_have_a_folder_a_part(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path, "cuda_nvrtc/lib/libnvrtc.so.12", "cuda_runtime/include/cuda_runtime.h")
    make(tmp_path, "cuda_nvcc/include/crt/host_defines.h", "cuda_cccl/include/cuda/std/limits")
    install(bare, tmp_path)
    found = find_toolkit()
    assert found.nvrtc == tmp_path / "cuda_nvrtc/lib/libnvrtc.so.12"
    folders = ("cuda_runtime", "cuda_nvcc", "cuda_cccl")
    assert found.includes == tuple(tmp_path / folder / "include" for folder in folders)


@pytest.mark.parametrize(
    ("extra", "library", "folders"),
    [
        (CUDA_12, "cuda_nvrtc/lib/libnvrtc.so.12", ["cuda_runtime", "cuda_nvcc", "cuda_cccl"]),
        (CUDA_13, "cu13/lib/libnvrtc.so.13", ["cu13"]),
    ],
)
def test_what_another_cuda_left_behind_is_passed_over(
    bare: pytest.MonkeyPatch, tmp_path: Path, extra: Extra, library: str, folders: list[str]
) -> None:
    make(tmp_path, "cuda_nvrtc/lib/libnvrtc.so.12", "cuda_runtime/include/cuda_runtime.h")
    make(tmp_path, "cuda_nvcc/include/crt/host_defines.h", "cuda_cccl/include/cuda/std/limits")
    make(tmp_path / "cu13", "lib/libnvrtc.so.13", "include/cuda_runtime.h", "include/crt/host_defines.h")
    make(tmp_path / "cu13", "include/cuda/std/limits")
    install(bare, tmp_path, extra=extra)
    found = find_toolkit()
    assert found.nvrtc == tmp_path / library
    assert found.includes == tuple(tmp_path / folder / "include" for folder in folders)


def test_nvrtc_of_another_cuda_than_cupys_is_named(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path, "lib64/libnvrtc.so.13")
    bare.setenv("CUDA_HOME", str(tmp_path))
    bare.setattr("ctypes.util.find_library", lambda name: f"lib{name}.so.13")
    install(bare, None, extra=CUDA_12)
    with pytest.raises(ToolMissing, match=r"^CuPy is for CUDA 12, and libnvrtc\.so\.13 is not$"):
        find_toolkit()


@pytest.mark.parametrize("variable", ["CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"])
@pytest.mark.parametrize("inside", ["", "targets/x86_64-linux/"])
def test_an_installed_toolkit(bare: pytest.MonkeyPatch, tmp_path: Path, variable: str, inside: str) -> None:
    make(tmp_path, f"{inside}lib/libnvrtc.so.13", f"{inside}include/cuda_runtime.h")
    bare.setenv(variable, str(tmp_path))
    found = find_toolkit()
    assert found.nvrtc == tmp_path / inside / "lib/libnvrtc.so.13"
    assert found.includes == (tmp_path / inside / "include",)


def test_a_library_that_only_the_loader_knows(bare: pytest.MonkeyPatch) -> None:
    bare.setattr("ctypes.util.find_library", lambda name: "libnvrtc.so.13")
    found = find_toolkit()
    assert found.nvrtc is None
    assert not found.headers


def test_missing_nvrtc_names_the_command(bare: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolMissing, match="NVRTC") as caught:
        find_toolkit()
    assert "pip install 'kgrade[cuda" in caught.value.hint
    assert caught.value.exit_code == 3


def test_missing_cupy_names_the_command(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path, "cu13/lib/libnvrtc.so.13")
    install(bare, tmp_path, cupy=False)
    with pytest.raises(ToolMissing, match="CUDA's packages are not installed") as caught:
        find_toolkit()
    assert "pip install 'kgrade[cuda" in caught.value.hint
