"""Occupancy for a target by hand-computed examples, and what would raise it."""

from __future__ import annotations

import pytest

from grader.coach.target import LIMITS, Resources, checked_target, resources_of
from grader.compile.cubin import KernelFacts
from grader.core.errors import UsageError
from grader.core.verdict import LanguageName
from grader.machine.gpus import gpu_like, target_of


def resources(threads: int, registers: int, shared: int = 0, target: str = "sm_89", dynamic: int = 0) -> Resources:
    return resources_of(KernelFacts("k", (), registers, shared, 0, 1024), threads, dynamic, target)


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "target", "blocks", "occupancy", "limit"),
    [
        # 48 warps an SM: six blocks of eight.
        (256, 32, 0, "sm_89", 6, 1.0, ""),
        # 64 registers a thread are 2,048 a warp: 8 warps in each of 4 partitions of 16,384.
        (256, 64, 0, "sm_89", 4, 32 / 48, "registers"),
        (256, 64, 0, "sm_90", 4, 0.5, "registers"),
        # One warp a block: 24 blocks of at most 24.
        (32, 16, 0, "sm_89", 24, 0.5, "blocks"),
        (32, 16, 0, "sm_90", 32, 0.5, "blocks"),
        # 100 KB hold two blocks of 48 KB and the kilobyte that CUDA takes of each.
        (128, 16, 48 << 10, "sm_89", 2, 8 / 48, "shared memory"),
        (128, 16, 48 << 10, "sm_90", 4, 16 / 64, "shared memory"),
        (1024, 32, 0, "sm_89", 1, 32 / 48, "threads"),
        (1024, 32, 0, "sm_80", 2, 1.0, ""),
        (1024, 32, 0, "sm_75", 1, 1.0, ""),
    ],
)
def test_occupancy(
    threads: int, registers: int, shared: int, target: str, blocks: int, occupancy: float, limit: str
) -> None:
    found = resources(threads, registers, shared, target)
    assert (found.blocks, found.limited_by) == (blocks, limit)
    assert found.occupancy == pytest.approx(occupancy)


def test_dynamic_shared_memory_counts_with_the_static() -> None:
    found = resources(128, 16, 24 << 10, dynamic=24 << 10)
    assert (found.blocks, found.static_shared, found.dynamic_shared) == (2, 24 << 10, 24 << 10)


def test_remedies_are_what_the_same_arithmetic_gives() -> None:
    few = resources(256, 128)
    assert (few.blocks, few.limited_by) == (2, "registers")
    assert "with 80 registers a thread instead of 128 it is 50%" in few.remedy
    assert resources(256, 80).occupancy == 0.5 and resources(256, 81).occupancy < 0.5
    narrow = resources(32, 16)
    assert "with blocks of 64 threads instead of 32 it is 100%" in narrow.remedy
    assert resources(64, 16).occupancy == 1.0
    full = resources(128, 16, 48 << 10)
    assert "33,109 bytes" not in full.remedy and "it is 25%" in full.remedy
    bytes_ = int(full.remedy.split()[1].replace(",", ""))
    assert resources(128, 16, bytes_).blocks == 3 and resources(128, 16, bytes_ + 4).blocks == 2


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        (LanguageName.CUDA, "__launch_bounds__(256, 3)"),
        (LanguageName.TRITON, "maxnreg=80 at the launch"),
        (LanguageName.CUTILE, "occupancy=3 in @ct.kernel()"),
        (LanguageName.CUTE, "min_blocks_per_mp=3 in launch()"),
        (LanguageName.NUMBA, "max_registers=80 in @cuda.jit()"),
    ],
)
def test_fewer_registers_are_asked_for_as_the_language_has_it(language: LanguageName, asked: str) -> None:
    found = resources_of(KernelFacts("k", (), 128, 0, 0, 1024), 256, 0, "sm_89", language)
    assert found.remedy.endswith(f"it is 50%: {asked} asks the compiler for that")


def test_no_remedy_where_all_warps_are_there() -> None:
    assert resources(256, 32).remedy == ""


@pytest.mark.parametrize(("text", "name"), [("sm_89", "sm_89"), ("sm_90a", "sm_90"), ("90a", "sm_90"), ("80", "sm_80")])
def test_targets_by_name(text: str, name: str) -> None:
    assert checked_target(text) == name


@pytest.mark.parametrize("text", ["sm_12", "hopper", "", "sm_89b", "gpu"])
def test_an_unknown_target_lists_the_known_ones(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_target(text)
    assert all(name in caught.value.hint for name in LIMITS)


@pytest.mark.parametrize(("target", "compiled"), [("sm_89", "sm_89"), ("sm_90", "sm_90a"), ("sm_120", "sm_120a")])
def test_the_compiler_is_told_of_a_gpu_of_that_target(target: str, compiled: str) -> None:
    assert target_of(gpu_like(target)) == compiled
