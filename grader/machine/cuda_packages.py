"""The two ways to get CUDA's packages, `cuda13` and `cuda12`: what each needs, which one is here, what to type.

Every hint about installing CuPy, a CUDA library or CUTLASS's headers comes from here. It installs nothing and loads no
CUDA library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core.errors import ToolMissing

if TYPE_CHECKING:
    from grader.machine.gpus import Gpu

Capability = tuple[int, int]


@dataclass(frozen=True)
class Extra:
    """One of pyproject.toml's extras. `driver` and `capability` are the oldest that its CUDA works with.

    `release` is the CUDA release that it pins, `suffix` what NVIDIA's wheels of it end in, `nvcc` whether those
    have nvcc whole.
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
        """The distribution of CuPy; both own the same folder, so only one can be installed."""
        return f"cupy-cuda{self.major}x"

    def named(self, gpu: bool) -> str:
        """The extra's name to install; the longer one brings what only a GPU needs, such as cuBLAS."""
        return f"{self.name}-gpu" if gpu else self.name

    def misfit(self, driver: str, capabilities: Sequence[Capability] = ()) -> str:
        """What keeps this CUDA from using GPUs of these compute capabilities by this driver, or nothing."""
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
"""The newest first. Sources: NVIDIA's CUDA Compatibility (drivers) and the release notes of CUDA 13.0 (GPUs)."""

DEFAULT = EXTRAS[0]
"""For a machine without a usable GPU: the emulator needs the compiler only."""

SYSTEM_TOOLKIT = Path("/usr/local/cuda")
"""Where NVIDIA's own packages put CUDA; the last place to look in."""

CUTLASS = "nvidia-cutlass==4.2.*"
"""The distribution with the headers of CUTLASS and CuTe, which the extra `cutlass` pins."""

NEW_DRIVER = "install NVIDIA's driver 580, which works with every GPU since Maxwell"


def driver_branch(driver: str) -> int:
    """580 of "580.65.06"; 0 where it can't be read."""
    match = re.match(r"\s*(\d+)", driver)
    return int(match[1]) if match else 0


def choose(driver: str, capabilities: Sequence[Capability]) -> Extra | None:
    """The newest CUDA that uses all of these GPUs by this driver; None where none does."""
    return next((extra for extra in EXTRAS if not extra.misfit(driver, capabilities)), None)


def installed_extras() -> tuple[Extra, ...]:
    """The extras whose CuPy is installed. A CuPy of another origin, such as conda's, belongs to none."""
    from importlib.metadata import PackageNotFoundError, distribution

    def is_here(name: str) -> bool:
        try:
            distribution(name)
        except PackageNotFoundError:
            return False
        return True

    return tuple(extra for extra in EXTRAS if is_here(extra.cupy))


def install_command() -> str:
    """What to type so that CUDA's packages are here, whole, and fit this machine."""
    gpus, here = _usable_gpus(), installed_extras()
    wanted = _wanted(gpus)
    if len(here) == 1 and not _misfit(here[0], gpus):
        wanted = here[0]
    command = f"pip install 'kgrade[{wanted.named(gpu=bool(gpus))}]'"
    # A CuPy that is installed over the other one, or beside it, is half of each.
    if any(extra is not wanted for extra in here):
        return f"pip uninstall --yes {' '.join(extra.cupy for extra in here)} && {command}"
    return command


def reinstall_nvrtc_command() -> str:
    """What to type where NVRTC is installed and yet not whole: pip takes it for complete."""
    here = installed_extras()
    extra = here[0] if len(here) == 1 else _wanted(_usable_gpus())
    return f"pip install --force-reinstall --no-deps 'nvidia-cuda-nvrtc{extra.suffix}=={extra.release}.*'"


def nvcc_command() -> str:
    """What to type so that nvcc is here, of the CUDA that is installed or fits this machine."""
    here = installed_extras()
    extra = here[0] if len(here) == 1 else _wanted(_usable_gpus())
    if extra.nvcc:
        return f"pip install 'cuda-toolkit[nvcc]=={extra.release}.*'"
    # Of NVIDIA's own package source.
    return f"apt install cuda-nvcc-{extra.release.replace('.', '-')}"


def cutlass_command() -> str:
    """What to type so that CuTe's headers are here: them alone, without the Python packages that come by the extra."""
    return f"pip install --no-deps '{CUTLASS}'"


def require_one() -> Extra | None:
    """The extra that is installed; None for a CuPy of another origin, or none at all.

    Raises ToolMissing where both are: what one of them overwrote of the other shows only later, and oddly.
    """
    here = installed_extras()
    if len(here) > 1:
        both = " and ".join(extra.cupy for extra in here)
        raise ToolMissing(f"{both} are both installed, and break each other", f"type: {install_command()}")
    return here[0] if here else None


def usable(gpu: Gpu) -> bool:
    """Whether any of the extras can use this GPU by its driver."""
    return choose(gpu.driver, [gpu.capability]) is not None


def require_fit(gpu: Gpu) -> None:
    """Raises ToolMissing, saying what to type, where the installed CUDA can't use this GPU by its driver."""
    extra = require_one()
    misfit = extra.misfit(gpu.driver, [gpu.capability]) if extra else ""
    if misfit:
        todo = f"type: {install_command()}" if usable(gpu) else NEW_DRIVER
        raise ToolMissing(f"{gpu.name}: {misfit}", f"{todo}; or grade without the GPU: --device emulator")


def _usable_gpus() -> Sequence[Gpu]:
    """All GPUs, or none of them where no CUDA could use all of them."""
    from grader.machine.gpus import find_gpus

    gpus = find_gpus()
    return gpus if gpus and choose(gpus[0].driver, [gpu.capability for gpu in gpus]) else ()


def _misfit(extra: Extra, gpus: Sequence[Gpu]) -> str:
    return extra.misfit(gpus[0].driver, [gpu.capability for gpu in gpus]) if gpus else ""


def _wanted(gpus: Sequence[Gpu]) -> Extra:
    return next((extra for extra in EXTRAS if not _misfit(extra, gpus)), DEFAULT)
