"""Finds nvdisasm, NVIDIA's disassembler: in pip's wheels, in installed toolkits, on the path."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from grader.core.errors import ToolMissing
from grader.machine.cuda_packages import NVDISASM, SYSTEM_TOOLKIT

NAME = "nvdisasm"


def find_nvdisasm(system: Path = SYSTEM_TOOLKIT) -> Path:
    """The program. A newer one than the compiler reads its code too, so the newest wheel is taken, of any release.

    Raises ToolMissing, with the command to type.
    """
    for folder in _folders(system):
        if (folder / NAME).is_file():
            return (folder / NAME).resolve()
    found = shutil.which(NAME)
    if found is None:
        raise ToolMissing("nvdisasm is not installed: it shows machine code", f"type: pip install '{NVDISASM}'")
    return Path(found).resolve()


def has_nvdisasm() -> bool:
    """Whether the program is there."""
    try:
        return bool(find_nvdisasm())
    except ToolMissing:
        return False


def _folders(system: Path) -> Iterator[Path]:
    spec = find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        for root in sorted(Path(place).glob("cu[0-9]*"), reverse=True):
            yield root / "bin"
        yield Path(place) / "cuda_nvdisasm" / "bin"
    for variable in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "bin"
    yield system / "bin"
