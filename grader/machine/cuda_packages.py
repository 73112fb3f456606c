"""The two sets of CUDA packages, `cuda13` and `cuda12`: what each needs, which one is installed, what to type.

All hints on installing CuPy, CUDA libraries or CUTLASS's headers come from here. It installs and loads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core.errors import ToolMissing
from grader.core.verdict import LanguageName
from grader.machine.own_install import extra_command

if TYPE_CHECKING:
    from grader.machine.gpus import Gpu

Capability = tuple[int, int]


@dataclass(frozen=True)
class Extra:
    """One of pyproject.toml's extras. `driver` and `capability` are the oldest that its CUDA supports.

    `release` is the CUDA release that it pins, `suffix` that of NVIDIA's wheels, `nvcc` whether these contain a
    complete nvcc.
    """

    major: int
    release: str
    driver: int
    capability: Capability
    family: str
    suffix: str
    nvcc: bool

    @property
    def name(self) -> str:
        return f"cuda{self.major}"

    @property
    def cupy(self) -> str:
        """CuPy's distribution; both use the same folder, so only one can be installed."""
        return f"cupy-cuda{self.major}x"

    def named(self, gpu: bool) -> str:
        """The extra's name for pip; with `gpu`, the one that adds what only a GPU needs, such as cuBLAS."""
        return f"{self.name}-gpu" if gpu else self.name

    def misfit(self, driver: str, capabilities: Sequence[Capability] = ()) -> str:
        """Why this CUDA can't use GPUs of these compute capabilities with this driver; empty if it can."""
        if driver_branch(driver) < self.driver:
            return f"CUDA {self.major} needs driver {self.driver} or newer, and this machine's is {driver}"
        oldest = min(capabilities, default=self.capability)
        if oldest < self.capability:
            needs, has = (".".join(map(str, version)) for version in (self.capability, oldest))
            return (
                f"CUDA {self.major} needs compute capability {needs} ({self.family}) or newer, and this GPU has {has}"
            )
        return ""


EXTRAS = (
    Extra(13, "13.0", driver=580, capability=(7, 5), family="Turing", suffix="", nvcc=True),
    Extra(12, "12.9", driver=525, capability=(5, 0), family="Maxwell", suffix="-cu12", nvcc=False),
)
"""Newest first. Sources: NVIDIA's CUDA Compatibility (drivers) and the release notes of CUDA 13.0 (GPUs)."""

DEFAULT = EXTRAS[0]
"""The extra for a machine without a usable GPU: the emulator needs only the compiler."""

SYSTEM_TOOLKIT = Path("/usr/local/cuda")
"""Where NVIDIA's own packages put CUDA; the last place to look in."""

CUTLASS = "nvidia-cutlass==4.2.*"
"""The distribution with the headers of CUTLASS and CuTe, which the extra `cutlass` pins."""

NVDISASM = "nvidia-cuda-nvdisasm>=13.2,<14"
"""NVIDIA's disassembler, in both extras: it depends on nothing, and reads what CUDA 12's compiler made too."""

NEW_DRIVER = "install NVIDIA's driver 580, which works with every GPU since Maxwell"


def driver_branch(driver: str) -> int:
    """The major version of a driver, 580 for "580.65.06"; 0 if it can't be parsed."""
    match = re.match(r"\s*(\d+)", driver)
    return int(match[1]) if match else 0


def choose(driver: str, capabilities: Sequence[Capability]) -> Extra | None:
    """The newest CUDA that can use all these GPUs with this driver; None if there is none."""
    return next((extra for extra in EXTRAS if not extra.misfit(driver, capabilities)), None)


def installed_extras() -> tuple[Extra, ...]:
    """The extras whose CuPy is installed. A CuPy from elsewhere, such as conda, belongs to none."""
    from importlib.metadata import PackageNotFoundError, distribution

    def is_here(name: str) -> bool:
        try:
            distribution(name)
        except PackageNotFoundError:
            return False
        return True

    return tuple(extra for extra in EXTRAS if is_here(extra.cupy))


def install_command() -> str:
    """The command that installs complete CUDA packages fit for this machine."""
    gpus, here = _usable_gpus(), installed_extras()
    wanted = _wanted(gpus)
    if len(here) == 1 and not _misfit(here[0], gpus):
        wanted = here[0]
    command = extra_command(wanted.named(gpu=bool(gpus)))
    # Installing one CuPy over the other mixes their files, so uninstall first.
    if any(extra is not wanted for extra in here):
        return f"pip uninstall --yes {' '.join(extra.cupy for extra in here)} && {command}"
    return command


def reinstall_nvrtc_command() -> str:
    """The command that repairs an incomplete NVRTC, which pip considers complete."""
    extra = _present()
    return f"pip install --force-reinstall --no-deps 'nvidia-cuda-nvrtc{extra.suffix}=={extra.release}.*'"


def language_command(language: LanguageName) -> str:
    """The command that installs a language's package, for the CUDA that is installed or fits this machine."""
    # The others bring their own compiler, or take that of any CUDA.
    by_cuda = language is LanguageName.NUMBA and _present() is not DEFAULT
    return extra_command(f"{language}-{_present().name}" if by_cuda else language)


def nvcc_command() -> str:
    """The command that installs nvcc, of the CUDA release that is installed or fits this machine."""
    extra = _present()
    if extra.nvcc:
        return f"pip install 'cuda-toolkit[nvcc]=={extra.release}.*'"
    # From NVIDIA's own package repository.
    return f"apt install cuda-nvcc-{extra.release.replace('.', '-')}"


def cutlass_command() -> str:
    """The command that installs CuTe's headers only, without the Python packages of the extra."""
    return f"pip install --no-deps '{CUTLASS}'"


def require_one() -> Extra | None:
    """The installed extra; None without CuPy, or for a CuPy from elsewhere.

    Raises ToolMissing if both are installed: the files that one overwrote of the other cause odd errors later.
    """
    here = installed_extras()
    if len(here) > 1:
        both = " and ".join(extra.cupy for extra in here)
        raise ToolMissing(f"{both} are both installed, and break each other", f"type: {install_command()}")
    return here[0] if here else None


def usable(gpu: Gpu) -> bool:
    """Whether any extra can use this GPU with its driver."""
    return choose(gpu.driver, [gpu.capability]) is not None


def require_fit(gpu: Gpu) -> None:
    """Raises ToolMissing, saying what to type, if the installed CUDA can't use this GPU with its driver."""
    extra = require_one()
    misfit = extra.misfit(gpu.driver, [gpu.capability]) if extra else ""
    if misfit:
        todo = f"type: {install_command()}" if usable(gpu) else NEW_DRIVER
        raise ToolMissing(f"{gpu.name}: {misfit}", f"{todo}; or grade without the GPU: --device emulator")


def _usable_gpus() -> Sequence[Gpu]:
    """All GPUs, or none if no CUDA could use all of them."""
    from grader.machine.gpus import find_gpus

    gpus = find_gpus()
    return gpus if gpus and choose(gpus[0].driver, [gpu.capability for gpu in gpus]) else ()


def _misfit(extra: Extra, gpus: Sequence[Gpu]) -> str:
    return extra.misfit(gpus[0].driver, [gpu.capability for gpu in gpus]) if gpus else ""


def _present() -> Extra:
    """The extra that is installed, else the one for this machine."""
    here = installed_extras()
    return here[0] if len(here) == 1 else _wanted(_usable_gpus())


def _wanted(gpus: Sequence[Gpu]) -> Extra:
    return next((extra for extra in EXTRAS if not _misfit(extra, gpus)), DEFAULT)
