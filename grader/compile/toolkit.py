"""Finding the parts of the CUDA toolkit that compiling needs: NVRTC's library and the CUDA headers.

It looks in the pip wheels first and in installed toolkits second, and loads nothing: whether NVRTC works is
seen when it is first used, in a process of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from grader.errors import ToolMissing

INSTALL_CUPY = 'pip install "cupy-cuda13x>=14.0,<15"'
INSTALL_TOOLKIT = 'pip install "cuda-toolkit[nvrtc,cudart,cccl,crt]==13.0.*"'

SYSTEM_TOOLKIT = Path("/usr/local/cuda")


@dataclass(frozen=True)
class Toolkit:
    """What was found. `nvrtc` is the library's file, None where only the system's loader may know it.

    `includes` are the header folders in the order in which the compiler searches them.
    """

    nvrtc: Path | None
    includes: tuple[Path, ...]

    @property
    def headers(self) -> bool:
        """Whether CUDA's own headers (cuda_fp16.h, cooperative_groups.h, …) are there."""
        return any((folder / "cuda_runtime.h").is_file() for folder in self.includes)


def find_toolkit() -> Toolkit:
    """Raises ToolMissing, with the command to type, where CuPy or NVRTC is not installed."""
    if find_spec("cupy") is None:
        raise ToolMissing("CuPy is not installed; kgrade compiles kernels through its NVRTC", INSTALL_CUPY)
    roots = [*_wheel_roots(), *_toolkit_roots()]
    nvrtc = _find_nvrtc(roots)
    if nvrtc is None and not _known_to_the_loader():
        raise ToolMissing("NVRTC, NVIDIA's compiler library, is not installed", INSTALL_TOOLKIT)
    return Toolkit(nvrtc, _find_includes(roots))


def _wheel_roots() -> Iterator[Path]:
    """Folders of the `nvidia` namespace package: `cu13` for all parts, or one a part in older wheels."""
    spec = find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        folder = Path(place)
        yield from sorted(folder.glob("cu[0-9]*"), reverse=True)
        parts = ("cuda_nvrtc", "cuda_runtime", "cuda_cccl", "cuda_nvcc", "cuda_crt")
        yield from (folder / part for part in parts if (folder / part).is_dir())


def _toolkit_roots() -> Iterator[Path]:
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"):
        if os.environ.get(variable):
            root = Path(os.environ[variable])
            yield root
            yield root / "targets" / "x86_64-linux"
    yield SYSTEM_TOOLKIT


def _find_nvrtc(roots: list[Path]) -> Path | None:
    folders = [root / name for root in roots for name in ("lib", "lib64", "bin")]
    folders += [Path(entry) for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if entry]
    for folder in folders:
        found = sorted(folder.glob("libnvrtc.so*"), reverse=True)
        if found:
            return found[0]
    return None


def _known_to_the_loader() -> bool:
    # Slow (it runs ldconfig), so only where no file was found.
    from ctypes.util import find_library

    return find_library("nvrtc") is not None


def _find_includes(roots: list[Path]) -> tuple[Path, ...]:
    """The header folders of the first place that has CUDA's headers, and CCCL's wherever it is."""
    folders = [root / "include" for root in roots]
    cuda = [folder for folder in folders if (folder / "cuda_runtime.h").is_file()][:1]
    crt = [folder for folder in folders if (folder / "crt" / "host_defines.h").is_file()][:1]
    # CUDA 13 keeps CCCL in a folder of its own, CUDA 12 among the others.
    cccl = [f for folder in folders for f in (folder / "cccl", folder) if (f / "cuda" / "std").is_dir()][:1]
    return tuple(dict.fromkeys([*cuda, *crt, *cccl]))
