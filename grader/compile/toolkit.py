"""Finds the parts of the CUDA toolkit that compiling needs: NVRTC's library, the CUDA headers, nvcc and g++.

It looks in pip wheels first and in installed toolkits second, and loads nothing; NVRTC is first loaded in a separate
process.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from grader.core.errors import ToolMissing
from grader.machine.cuda_packages import SYSTEM_TOOLKIT, install_command, nvcc_command, require_one

NVCC_PARTS = ("bin/nvcc", "nvvm/bin/cicc", "bin/ptxas", "bin/cudafe++", "bin/fatbinary")

OLDEST_GCC = 7
"""The first with all of C++17."""

A_FOLDER_A_PART = 12
"""The CUDA release whose wheels have a folder for each part; later ones share `cu13` and so on."""


@dataclass(frozen=True)
class Toolkit:
    """The parts found. `nvrtc` is the library's file, None if only the system's loader knows it.

    `includes` are the header folders in the compiler's search order.
    """

    nvrtc: Path | None
    includes: tuple[Path, ...]

    @property
    def headers(self) -> bool:
        """Whether CUDA's own headers (cuda_fp16.h, cooperative_groups.h, …) are installed."""
        return any((folder / "cuda_runtime.h").is_file() for folder in self.includes)


@dataclass(frozen=True)
class Nvcc:
    """NVIDIA's compiler driver: its file, and the folder with everything that it needs except the host compiler.

    `includes` are the folders of CUDA's headers, including those outside `root`.
    """

    program: Path
    root: Path
    includes: tuple[Path, ...]


def find_toolkit(system: Path = SYSTEM_TOOLKIT) -> Toolkit:
    """Finds NVRTC and the headers. Raises ToolMissing, with the command to type, if CuPy or its NVRTC is missing.

    `system` is the folder of a toolkit that no variable names, here and below.
    """
    extra = require_one()
    if extra is None and not _has_cupy():
        message = "CUDA's packages are not installed: kgrade compiles kernels by CuPy and NVRTC"
        raise ToolMissing(message, f"type: {install_command()}")
    major = extra.major if extra else None
    nvrtc = find_library("nvrtc", major, system)
    if nvrtc is None and not known_to_the_loader("nvrtc", major):
        other = find_library("nvrtc", system=system) if major else None
        message = "NVRTC, NVIDIA's compiler library, is not installed"
        if other is not None:
            message = f"CuPy is for CUDA {major}, and {other.name} is not"
        raise ToolMissing(message, f"type: {install_command()}")
    return Toolkit(nvrtc, _find_includes(_roots(major, system)))


def find_library(name: str, major: int | None = None, system: Path = SYSTEM_TOOLKIT) -> Path | None:
    """The file of a CUDA library such as "nvrtc", of CUDA release `major` or the newest; None if there is none."""
    pattern = f"lib{name}.so*" if major is None else f"lib{name}.so.{major}*"
    folders = [root / folder for root in _roots(major, system) for folder in ("lib", "lib64", "bin")]
    folders += [Path(entry) for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if entry]
    for folder in folders:
        found = sorted(folder.glob(pattern), reverse=True)
        if found:
            return found[0]
    return None


def find_nvcc(system: Path = SYSTEM_TOOLKIT) -> Nvcc:
    """Finds nvcc, in the wheels first. Raises ToolMissing, with the command to type, if it or a part is missing."""
    extra = require_one()
    major = extra.major if extra else None
    usual = _roots(major, system)
    roots = [*usual, *_on_the_path()]
    # The driver is useless without the compiler proper, which is in a separate wheel.
    found = next((root for root in roots if all((root / part).is_file() for part in NVCC_PARTS)), None)
    if found is None:
        raise ToolMissing("nvcc is not installed: it compiles files with their own solve()", f"type: {nvcc_command()}")
    includes = tuple(folder.resolve() for folder in _find_includes([found, *usual]))
    root = found.resolve()
    return Nvcc(root / NVCC_PARTS[0], root, includes)


def find_host_compiler(nvcc: Nvcc) -> Path:
    """The default g++ if this nvcc supports it, else the newest supported one. Raises ToolMissing, with the command
    to type.
    """
    newest = _newest_gcc(nvcc)
    too_new = None
    for name in ("g++", *(f"g++-{version}" for version in range(newest, OLDEST_GCC - 1, -1))):
        program = shutil.which(name)
        if program is None:
            continue
        version = _gcc_version(program)
        if OLDEST_GCC <= version <= newest:
            return Path(program).resolve()
        too_new = too_new or version
    if too_new is not None:
        message = f"nvcc can't use g++ {too_new}: it takes {OLDEST_GCC} to {newest}"
        raise ToolMissing(message, f"type: apt install g++-{newest}")
    raise ToolMissing("g++ is not installed: nvcc compiles host code by it", "type: apt install g++")


def known_to_the_loader(name: str, major: int | None = None) -> bool:
    """Whether the system's loader finds the library, wherever its file is."""
    # Slow (it runs ldconfig), so only used if no file was found.
    import ctypes.util

    found = ctypes.util.find_library(name)
    return found is not None and (major is None or f".so.{major}" in found)


def _newest_gcc(nvcc: Nvcc) -> int:
    """The newest GCC version that CUDA's headers accept without #error."""
    for folder in nvcc.includes:
        file = folder / "crt" / "host_config.h"
        match = re.search(r"#if __GNUC__ > (\d+)", file.read_text(errors="replace")) if file.is_file() else None
        if match:
            return int(match[1])
    raise ToolMissing("CUDA's header crt/host_config.h is not installed", f"type: {nvcc_command()}")


@functools.cache
def _gcc_version(program: str) -> int:
    done = subprocess.run([program, "-dumpversion"], capture_output=True, text=True, timeout=10)
    match = re.match(r"\d+", done.stdout)
    return int(match[0]) if match else 0


def _on_the_path() -> Iterator[Path]:
    program = shutil.which("nvcc")
    if program is not None:
        yield Path(program).resolve().parent.parent


def _has_cupy() -> bool:
    spec = find_spec("cupy")
    # A folder left behind by an uninstallation has a spec but no file.
    return spec is not None and spec.origin is not None


def _roots(major: int | None, system: Path) -> list[Path]:
    return [*_wheel_roots(major), *_toolkit_roots(), system]


def _wheel_roots(major: int | None) -> Iterator[Path]:
    """Yields folders of the `nvidia` namespace package, of one CUDA release or of all.

    Leftovers of another release are skipped, because its headers don't fit CuPy's NVRTC.
    """
    spec = find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        folder = Path(place)
        yield from sorted(folder.glob(f"cu{major or '[0-9]*'}"), reverse=True)
        if major in (None, A_FOLDER_A_PART):
            parts = ("cuda_nvrtc", "cuda_runtime", "cuda_cccl", "cuda_nvcc", "cuda_crt", "cublas")
            yield from (folder / part for part in parts if (folder / part).is_dir())


def _toolkit_roots() -> Iterator[Path]:
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"):
        if os.environ.get(variable):
            root = Path(os.environ[variable])
            yield root
            yield root / "targets" / "x86_64-linux"


def _find_includes(roots: list[Path]) -> tuple[Path, ...]:
    """The header folders of the first root with CUDA's headers, and CCCL's wherever they are."""
    folders = [root / "include" for root in roots]
    cuda = [folder for folder in folders if (folder / "cuda_runtime.h").is_file()][:1]
    crt = [folder for folder in folders if (folder / "crt" / "host_defines.h").is_file()][:1]
    # CUDA 13 has CCCL in a separate folder, CUDA 12 among the others.
    cccl = [f for folder in folders for f in (folder / "cccl", folder) if (f / "cuda" / "std").is_dir()][:1]
    return tuple(dict.fromkeys([*cuda, *crt, *cccl, *_cutlass_includes()]))


def _cutlass_includes() -> list[Path]:
    """CUTLASS's header folders, if its wheel (nvidia-cutlass) is installed."""
    spec = find_spec("cutlass_library")
    places = [Path(place) / "source" for place in spec.submodule_search_locations or ()] if spec else []
    folders = [folder for place in places for folder in (place / "include", place / "tools" / "util" / "include")]
    return [folder for folder in folders if folder.is_dir()]
