"""Finding NVRTC and the CUDA headers in the layouts that wheels and toolkits have."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from grader.compile.toolkit import NVCC_PARTS, Nvcc, find_host_compiler, find_nvcc, find_toolkit
from grader.core.errors import ToolMissing
from grader.machine.cuda_packages import EXTRAS, Extra

CUDA_13, CUDA_12 = EXTRAS


def make(root: Path, *files: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


NOWHERE = Path("/nonexistent")
"""In place of the system's toolkit, which a machine may have."""


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine with a CuPy of unknown origin and nothing else."""
    install(monkeypatch, None)
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    return monkeypatch


def install(
    monkeypatch: pytest.MonkeyPatch, nvidia: Path | None, cupy: bool = True, extra: Extra | None = None
) -> None:
    """Packages as Python finds them: NVIDIA's wheels in this folder, CuPy of this extra or of none."""
    wheels = package("nvidia", None)
    assert wheels.__spec__ is not None
    wheels.__spec__.submodule_search_locations = [str(nvidia)]
    monkeypatch.setitem(sys.modules, "nvidia", wheels if nvidia is not None else None)
    monkeypatch.setitem(sys.modules, "cupy", package("cupy", "__init__.py" if cupy else None))
    monkeypatch.setitem(sys.modules, "cutlass_library", None)

    def distribution(name: str) -> None:
        if extra is None or name != extra.cupy:
            raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)


def package(name: str, origin: str | None) -> ModuleType:
    made = ModuleType(name)
    made.__spec__ = importlib.machinery.ModuleSpec(name, None, origin=origin, is_package=True)
    return made


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
    found = find_toolkit(NOWHERE)
    assert found.nvrtc == tmp_path / "cu13/lib/libnvrtc.so.13"
    assert found.includes == (tmp_path / "cu13/include", tmp_path / "cu13/include/cccl")
    assert found.headers


def test_the_newest_of_several_wheels(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path, "cu12/lib/libnvrtc.so.12", "cu13/lib/libnvrtc.so.13")
    install(bare, tmp_path)
    assert find_toolkit(NOWHERE).nvrtc == tmp_path / "cu13/lib/libnvrtc.so.13"


def test_wheels_of_cuda_12_have_a_folder_a_part(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path, "cuda_nvrtc/lib/libnvrtc.so.12", "cuda_runtime/include/cuda_runtime.h")
    make(tmp_path, "cuda_nvcc/include/crt/host_defines.h", "cuda_cccl/include/cuda/std/limits")
    install(bare, tmp_path)
    found = find_toolkit(NOWHERE)
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
    found = find_toolkit(NOWHERE)
    assert found.nvrtc == tmp_path / library
    assert found.includes == tuple(tmp_path / folder / "include" for folder in folders)


def test_nvrtc_of_another_cuda_than_cupys_is_named(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path, "lib64/libnvrtc.so.13")
    bare.setenv("CUDA_HOME", str(tmp_path))
    bare.setattr("ctypes.util.find_library", lambda name: f"lib{name}.so.13")
    install(bare, None, extra=CUDA_12)
    with pytest.raises(ToolMissing, match=r"^CuPy is for CUDA 12, and libnvrtc\.so\.13 is not$"):
        find_toolkit(NOWHERE)


@pytest.mark.parametrize("variable", ["CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"])
@pytest.mark.parametrize("inside", ["", "targets/x86_64-linux/"])
def test_an_installed_toolkit(bare: pytest.MonkeyPatch, tmp_path: Path, variable: str, inside: str) -> None:
    make(tmp_path, f"{inside}lib/libnvrtc.so.13", f"{inside}include/cuda_runtime.h")
    bare.setenv(variable, str(tmp_path))
    found = find_toolkit(NOWHERE)
    assert found.nvrtc == tmp_path / inside / "lib/libnvrtc.so.13"
    assert found.includes == (tmp_path / inside / "include",)


def test_a_library_that_only_the_loader_knows(bare: pytest.MonkeyPatch) -> None:
    bare.setattr("ctypes.util.find_library", lambda name: "libnvrtc.so.13")
    found = find_toolkit(NOWHERE)
    assert found.nvrtc is None
    assert not found.headers


def test_missing_nvrtc_names_the_command(bare: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolMissing, match="NVRTC") as caught:
        find_toolkit(NOWHERE)
    assert re.search(r"pip install .*\[cuda1[23](-gpu)?\]'", caught.value.hint)
    assert caught.value.exit_code == 3


def test_missing_cupy_names_the_command(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(tmp_path, "cu13/lib/libnvrtc.so.13")
    install(bare, tmp_path, cupy=False)
    with pytest.raises(ToolMissing, match="CUDA's packages are not installed") as caught:
        find_toolkit(NOWHERE)
    assert re.search(r"pip install .*\[cuda1[23](-gpu)?\]'", caught.value.hint)


HOST_CONFIG = "#if __GNUC__ > 15\n#error unsupported\n#endif\n"


def make_nvcc(root: Path) -> None:
    make(root, *NVCC_PARTS, "include/cuda_runtime.h", "include/crt/host_defines.h")
    (root / "include/crt/host_config.h").write_text(HOST_CONFIG)


def test_nvcc_of_the_wheels(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_nvcc(tmp_path / "cu13")
    make_nvcc(tmp_path / "toolkit")
    bare.setenv("CUDA_PATH", str(tmp_path / "toolkit"))
    install(bare, tmp_path, extra=CUDA_13)
    found = find_nvcc(NOWHERE)
    assert found == Nvcc(tmp_path / "cu13/bin/nvcc", tmp_path / "cu13", (tmp_path / "cu13/include",))


def test_nvcc_of_a_toolkit(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_nvcc(tmp_path / "toolkit")
    # The wheels of CUDA 12 have parts of it.
    make(tmp_path / "cuda_nvcc", "bin/ptxas", "nvvm/bin/cicc")
    bare.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    install(bare, tmp_path, extra=CUDA_12)
    assert find_nvcc(NOWHERE).root == tmp_path / "toolkit"


def test_nvcc_on_the_path(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_nvcc(tmp_path / "toolkit")
    bare.setattr("shutil.which", lambda name: str(tmp_path / "toolkit/bin" / name))
    assert find_nvcc(NOWHERE).root == tmp_path / "toolkit"


@pytest.mark.parametrize("missing", NVCC_PARTS)
def test_nvcc_without_a_part_is_missing(bare: pytest.MonkeyPatch, tmp_path: Path, missing: str) -> None:
    make_nvcc(tmp_path / "cu13")
    (tmp_path / "cu13" / missing).unlink()
    install(bare, tmp_path, extra=CUDA_13)
    bare.setattr("shutil.which", lambda name: None)
    with pytest.raises(ToolMissing, match="nvcc is not installed") as caught:
        find_nvcc(NOWHERE)
    assert caught.value.hint == "type: pip install 'cuda-toolkit[nvcc]==13.0.*'"


def test_nvcc_is_in_no_wheel_of_cuda_12(bare: pytest.MonkeyPatch) -> None:
    install(bare, None, extra=CUDA_12)
    bare.setattr("shutil.which", lambda name: None)
    with pytest.raises(ToolMissing) as caught:
        find_nvcc(NOWHERE)
    assert caught.value.hint == "type: apt install cuda-nvcc-12-9"


@pytest.mark.parametrize(
    ("here", "chosen"),
    [
        ({"g++": 12}, "g++"),
        ({"g++": 16, "g++-15": 15, "g++-13": 13}, "g++-15"),
        ({"g++": 5, "g++-9": 9}, "g++-9"),
        ({"g++-14": 14}, "g++-14"),
        ({"g++": 16}, "nvcc can't use g++ 16: it takes 7 to 15|type: apt install g++-15"),
        ({}, "g++ is not installed: nvcc compiles host code by it|type: apt install g++"),
    ],
)
def test_the_host_s_compiler(bare: pytest.MonkeyPatch, tmp_path: Path, here: dict[str, int], chosen: str) -> None:
    make_nvcc(tmp_path)
    nvcc = Nvcc(tmp_path / "bin/nvcc", tmp_path, (tmp_path / "include",))
    for name, version in here.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
        (tmp_path / name).chmod(0o755)
    bare.setattr("shutil.which", lambda name: str(tmp_path / name) if name in here else None)
    if "|" not in chosen:
        assert find_host_compiler(nvcc) == tmp_path / chosen
        return
    with pytest.raises(ToolMissing) as caught:
        find_host_compiler(nvcc)
    assert f"{caught.value.message}|{caught.value.hint}" == chosen
