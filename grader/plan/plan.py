"""The Plan: the ordered steps that a submission's launch code asked for, as plain data.

Addresses are those of the runner's own buffers, so a plan is replayed as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.report import Dim3


@dataclass(frozen=True)
class Launch:
    """One kernel launch. `arguments` holds each argument's raw bytes, little-endian, in the kernel's order."""

    kernel: str
    grid: Dim3
    block: Dim3
    shared_bytes: int
    arguments: tuple[bytes, ...]


@dataclass(frozen=True)
class Memset:
    """`size` bytes from `address` on are set to `value` (0 to 255)."""

    address: int
    value: int
    size: int


Step = Launch | Memset


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]


def told(step: Step) -> dict[str, Any]:
    """A step as plain data: as a child is told it, and as it is replayed."""
    if isinstance(step, Memset):
        return {"memset": [step.address, step.value, step.size]}
    assert isinstance(step, Launch)
    return {
        "kernel": step.kernel,
        "grid": step.grid,
        "block": step.block,
        "shared_bytes": step.shared_bytes,
        "arguments": [argument.hex() for argument in step.arguments],
    }
