"""Occupancy: how many of its warps one SM can hold of a kernel at once, and what limits that.

The driver counts the blocks; the arithmetic here only finds the resource that runs out first. This module starts no
kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from grader.run.gpu.replay import MOST_WITHOUT_ASKING

WARP = 32
REGISTER_UNIT = 256
"""Registers are allocated to a warp in units of this many."""


@dataclass(frozen=True)
class SmLimits:
    """The resources of one SM.

    `partitions` share its registers evenly; shared memory comes in units of `shared_unit` bytes.

    `shared_reserved`: the bytes that the system takes of each block's shared memory.
    """

    threads: int
    blocks: int
    registers: int
    partitions: int
    shared_bytes: int
    shared_reserved: int
    shared_unit: int


@dataclass(frozen=True)
class BlockNeeds:
    """What one block needs: threads, registers per thread, and static plus dynamic shared memory in bytes."""

    threads: int
    registers: int
    shared_bytes: int


def block_limits(needs: BlockNeeds, limits: SmLimits) -> dict[str, int]:
    """Returns how many blocks one SM has room for, by each of the resources that a block needs.

    The formulas are those of `cuda_occupancy.h`, which comes with CUDA's headers (version 13.0:
    cudaOccMaxBlocksPerSMRegsLimit, …SmemLimit, …WarpsLimit), for a launch that fits at all and without a preference for
    L1. A warp lives in one partition with all its registers, so the remainder of each partition is lost. Barriers are
    left out: how many a kernel uses is unknown.
    """
    warps = _ceil_div(needs.threads, WARP)
    registers_a_warp = _round_up(needs.registers * WARP, REGISTER_UNIT)
    shared = _round_up(needs.shared_bytes + limits.shared_reserved, limits.shared_unit)
    found = {}
    if registers_a_warp:
        warps_a_partition = limits.registers // limits.partitions // registers_a_warp
        found["registers"] = warps_a_partition * limits.partitions // warps
    if shared:
        found["shared memory"] = limits.shared_bytes // shared
    return {**found, "threads": limits.threads // WARP // warps, "blocks": limits.blocks}


def occupancy_of(blocks: int, needs: BlockNeeds, limits: SmLimits) -> float:
    """Returns the share of an SM's warps that `blocks` blocks fill, from 0 to 1."""
    return blocks * _ceil_div(needs.threads, WARP) / (limits.threads // WARP)


def limited_by(blocks: int, needs: BlockNeeds, limits: SmLimits) -> str:
    """Returns what prevents more than `blocks` blocks: "registers", "shared memory", "threads" or "blocks".

    Empty if nothing does, because all warps are there, or if it is none of these four. Of several with the same limit
    it is the first named: the kernel's own needs before the SM's slots.
    """
    if occupancy_of(blocks, needs, limits) >= 1:
        return ""
    return next((name for name, most in block_limits(needs, limits).items() if most <= blocks), "")


def describe_launch(function: int, block_threads: int, dynamic_shared: int) -> tuple[float, str]:
    """Returns occupancy and its limit for a loaded kernel (a CUfunction) on the current device.

    Raises CuPy's error if such a launch is not possible.
    """
    from cupy.cuda import driver, runtime

    if dynamic_shared > MOST_WITHOUT_ASKING:
        driver.funcSetAttribute(function, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic_shared)
    registers = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_NUM_REGS, function)
    static = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function)
    blocks = driver.occupancyMaxActiveBlocksPerMultiprocessor(function, block_threads, dynamic_shared)
    needs = BlockNeeds(block_threads, registers, static + dynamic_shared)
    limits = sm_limits(runtime.getDevice())
    return occupancy_of(blocks, needs, limits), limited_by(blocks, needs, limits)


@lru_cache(maxsize=8)
def sm_limits(device: int) -> SmLimits:
    """Returns the limits of one SM of this device, numbered as CUDA does."""
    import cupy
    from cupy.cuda import runtime

    # CuPy writes the version without its point; the minor number is one digit.
    capability = cupy.cuda.Device(device).compute_capability
    return SmLimits(
        threads=runtime.deviceGetAttribute(runtime.cudaDevAttrMaxThreadsPerMultiProcessor, device),
        blocks=runtime.deviceGetAttribute(runtime.cudaDevAttrMaxBlocksPerMultiprocessor, device),
        registers=runtime.deviceGetAttribute(runtime.cudaDevAttrMaxRegistersPerMultiprocessor, device),
        # cudaOccSubPartitionsPerMultiprocessor and cudaOccSMemAllocationGranularity of cuda_occupancy.h.
        partitions=2 if capability == "60" else 4,
        shared_bytes=runtime.deviceGetAttribute(runtime.cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
        shared_reserved=runtime.deviceGetAttribute(runtime.cudaDevAttrReservedSharedMemoryPerBlock, device),
        shared_unit=256 if int(capability[:-1]) < 8 else 128,
    )


def _ceil_div(value: int, by: int) -> int:
    return -(-value // by)


def _round_up(value: int, unit: int) -> int:
    return _ceil_div(value, unit) * unit
