"""The occupancy that a kernel's launch reaches on a target, and what would raise it; no GPU is needed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.compile.cubin import KernelFacts
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName
from grader.model.limits import LIMITS
from grader.run.gpu.occupancy import BlockNeeds, SmLimits, block_limits, limited_by, occupancy_of

DEFAULT = "sm_89"
_MOST_THREADS = 1024
_ASKED_BY = {
    LanguageName.CUDA: "__launch_bounds__({threads}, {blocks})",
    LanguageName.TRITON: "maxnreg={registers} at the launch",
    LanguageName.CUTILE: "occupancy={blocks} in @ct.kernel()",
    LanguageName.CUTE: "min_blocks_per_mp={blocks} in launch()",
    LanguageName.NUMBA: "max_registers={registers} in @cuda.jit()",
}
"""What asks the compiler of a language for fewer registers."""


@dataclass(frozen=True)
class Resources:
    """The resources that a kernel takes on a target, and the resulting occupancy.

    `blocks` is the number of blocks resident on an SM, `occupancy` their fraction of its warps, and `limited_by` what
    prevents more. `remedy` says what would raise it, by the same arithmetic; empty if nothing known would.
    """

    target: str
    registers: int
    static_shared: int
    dynamic_shared: int
    local_bytes: int
    blocks: int
    occupancy: float
    limited_by: str
    remedy: str = ""


def checked_target(text: str) -> str:
    """Normalises a target to its name in LIMITS, without a trailing `a`. Raises UsageError if it is unknown."""
    match = re.fullmatch(r"(?:sm_)?(\d+)a?", text)
    name = f"sm_{match[1]}" if match else ""
    if name not in LIMITS:
        raise UsageError(f"there is no target {text!r}", f"use one of: {', '.join(LIMITS)}")
    return name


def resources_of(
    facts: KernelFacts, threads: int, dynamic_shared: int, target: str, language: LanguageName = LanguageName.CUDA
) -> Resources:
    """The resources of a kernel: registers and static shared memory from machine code, the rest from the launch."""
    needs = BlockNeeds(threads, facts.registers, facts.shared_bytes + dynamic_shared)
    limits = LIMITS[target]
    blocks = min(block_limits(needs, limits).values())
    limit = limited_by(blocks, needs, limits)
    found = remedy_of(limit, blocks, needs, limits, language)
    return Resources(
        target,
        facts.registers,
        facts.shared_bytes,
        dynamic_shared,
        facts.local_bytes,
        blocks,
        occupancy_of(blocks, needs, limits),
        limit,
        found[0] if found else "",
    )


def remedy_of(
    limit: str, blocks: int, needs: BlockNeeds, limits: SmLimits, language: LanguageName = LanguageName.CUDA
) -> tuple[str, BlockNeeds] | None:
    """What would raise the occupancy: in words, and as a block's needs; None if nothing known would."""
    now = occupancy_of(blocks, needs, limits)

    def most(other: BlockNeeds) -> float:
        return occupancy_of(min(block_limits(other, limits).values()), other, limits)

    if limit == "registers":
        for registers in range(needs.registers - 1, 15, -1):
            fewer = BlockNeeds(needs.threads, registers, needs.shared_bytes)
            if most(fewer) > now:
                asked = _ASKED_BY[language].format(threads=needs.threads, blocks=blocks + 1, registers=registers)
                words = (
                    f"with {registers} registers a thread instead of {needs.registers} it is {most(fewer):.0%}: "
                    f"{asked} asks the compiler for that"
                )
                return words, fewer
    if limit == "shared memory":
        for shared in range(needs.shared_bytes - 4, 0, -4):
            less = BlockNeeds(needs.threads, needs.registers, shared)
            if most(less) > now:
                words = f"with {shared:,} bytes a block instead of {needs.shared_bytes:,} it is {most(less):.0%}"
                return words, less
    if limit in ("blocks", "threads") and not needs.shared_bytes:
        sizes = [BlockNeeds(threads, needs.registers, 0) for threads in range(64, _MOST_THREADS + 1, 32)]
        best = max(sizes, key=most)
        if most(best) > now:
            return f"with blocks of {best.threads} threads instead of {needs.threads} it is {most(best):.0%}", best
    return None
