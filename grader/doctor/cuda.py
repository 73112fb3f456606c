"""Checks CUDA on this machine: CuPy, NVRTC, headers, cuBLAS, GPU and driver, and whether they fit together.

`grader.machine.cuda_packages` knows what to install.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from grader.doctor.part import Misfit, Missing, Part, output_of
from grader.machine.cuda_packages import (
    DEFAULT,
    EXTRAS,
    NEW_DRIVER,
    SYSTEM_TOOLKIT,
    Extra,
    driver_branch,
    install_command,
    installed_extras,
    require_one,
)
from grader.machine.own_install import extra_command
from grader.store.workspace import Workspace

OLDEST_DRIVER = min(extra.driver for extra in EXTRAS)


def _packages(_: Workspace) -> str:
    from importlib.metadata import version

    extra = require_one()
    if extra is not None:
        return f"{extra.name}, CuPy {version(extra.cupy)}"
    if find_spec("cupy") is None:
        names = " nor ".join(extra.name for extra in EXTRAS)
        raise Missing(f"neither {names} is installed", install_command())
    return "CuPy, installed in another way than by kgrade's extras"


def _nvrtc(_: Workspace) -> str:
    from grader.compile.nvrtc import compile_kernel
    from grader.compile.toolkit import find_toolkit

    library = find_toolkit().nvrtc
    # A library may be present but fail to load, so it is tried.
    compile_kernel("__global__ void probe(int n) {}", "probe.cu", "probe", [("int", "n")], {})
    return f"compiles, {library.name}" if library else "compiles"


def _headers(_: Workspace) -> str:
    from grader.compile.toolkit import find_toolkit

    toolkit = find_toolkit()
    if not toolkit.headers:
        raise Missing(get=install_command())
    return str(toolkit.includes[0])


def look_for_cublas(_: Workspace, system: Path = SYSTEM_TOOLKIT) -> str | None:
    """Where it is; None without a GPU, which alone needs it."""
    from grader.compile.toolkit import find_library, known_to_the_loader
    from grader.machine.gpus import find_gpus

    if not find_gpus():
        return None
    extra = _extra()
    major = extra.major if extra else None
    library = find_library("cublas", major, system)
    if library is not None:
        return str(library)
    if known_to_the_loader("cublas", major):
        return "known to the system's loader"
    raise Missing(get=install_command())


def _gpu(_: Workspace) -> str:
    from grader.machine.gpus import find_gpus, target_of

    gpus = find_gpus()
    if not gpus:
        # nvidia-smi distinguishes a machine without a GPU from one with a failing driver.
        raise Missing(f"{_nvidia_smi('name')}, but the driver's library NVML does not show it")
    extra = _extra()
    for gpu in gpus:
        # The driver has its own row, so it counts as new enough here.
        misfit = extra.misfit(str(extra.driver), [gpu.capability]) if extra else ""
        if misfit:
            raise Misfit(f"gpu:{gpu.index} {gpu.name}: {misfit}", install_command())
    return ", ".join(f"gpu:{gpu.index} {gpu.name} ({target_of(gpu)}, {gpu.memory >> 30} GiB)" for gpu in gpus)


def _driver(_: Workspace) -> str:
    driver = _nvidia_smi("driver_version")
    if driver_branch(driver) < OLDEST_DRIVER:
        raise Misfit(f"{driver}; any CUDA that kgrade can use needs {OLDEST_DRIVER} or newer", NEW_DRIVER)
    extra = _extra()
    misfit = extra.misfit(driver) if extra else ""
    if misfit:
        raise Misfit(misfit, f"{install_command()}, or {NEW_DRIVER}")
    return driver


def _nvidia_smi(field: str) -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        raise Missing
    lines = output_of([program, f"--query-gpu={field}", "--format=csv,noheader"]).splitlines()
    return ", ".join(dict.fromkeys(line.strip() for line in lines))


def _extra() -> Extra | None:
    """The installed extra, if there is exactly one; other cases are reported in the first row."""
    here = installed_extras()
    return here[0] if len(here) == 1 else None


_INSTALL = extra_command(DEFAULT.name)

COMPILER_PARTS: tuple[Part, ...] = (
    Part("CUDA packages", _packages, "no kernel can be compiled", _INSTALL, required=True),
    Part("NVRTC", _nvrtc, "no kernel can be compiled", _INSTALL, required=True),
    Part("CUDA headers", _headers, "no #include of cuda_fp16.h, cooperative_groups.h and others", _INSTALL),
)

GPU_PARTS: tuple[Part, ...] = (
    Part("GPU", _gpu, "kernels run on the emulator: verdicts, but no times", "a machine with an NVIDIA GPU"),
    Part("driver", _driver, "a GPU can't be used", "install NVIDIA's driver; 'nvidia-smi' then answers"),
    Part("cuBLAS", look_for_cublas, "no baseline to compare with, no ceilings and so no score", _INSTALL),
)
