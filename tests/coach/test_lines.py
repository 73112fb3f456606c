"""Counts added up by line and by kernel, and of several launches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.coach.lines import by_line, flops_of, reads_of, refetch_ratio, total
from grader.run.emulator import LaunchCounts
from grader.run.emulator.counts import ArrayCounts, RowCounts

from .counted import run


def row(opcode: str, *modifiers: str, line: int = 1, threads: int = 64, **counts: int) -> RowCounts:
    return RowCounts(line, opcode, opcode, modifiers, 0, threads // 32, threads, **counts)


@pytest.mark.parametrize(
    ("opcode", "modifiers", "flops"),
    [
        ("fma", ("rn", "f32"), 2),
        ("add", ("f32",), 1),
        ("mul", ("f64",), 1),
        ("fma", ("rn", "f16x2"), 4),
        ("add", ("s32",), 0),
        ("mad", ("lo", "s32"), 0),
        ("ld", ("global", "f32"), 0),
        ("mov", ("f32",), 0),
        ("setp", ("gt", "f32"), 0),
        ("mma", ("sync", "aligned", "m16n8k16", "row", "col", "f32", "f16", "f16", "f32"), 128),
        ("mma", ("sync", "aligned", "m16n8k32", "row", "col", "s32", "s8", "s8", "s32"), 0),
        ("wmma", ("mma", "sync", "aligned", "row", "col", "m16n16k16", "f32", "f32"), 256),
        ("wmma", ("load", "a", "sync", "aligned", "row", "m16n16k16", "global", "f16"), 0),
    ],
)
def test_floating_point_operations(opcode: str, modifiers: tuple[str, ...], flops: int) -> None:
    assert flops_of(row(opcode, *modifiers)) == flops


def test_totals() -> None:
    rows = [
        row("fma", "rn", "f32"),
        row("ld", "global", "f32", requests=2, sectors=8, ideal_sectors=8, bytes=256),
        row("bra", divergent=1),
        row("bra", "uni"),
        row("bar", "sync"),
        row("bar", "warp", "sync"),
        row("cp", "async", "cg", "shared", "global", requests=2, shared_requests=2),
        row("cp", "async", "commit_group"),
    ]
    found = total(rows)
    assert (found.flops, found.moved, found.intensity) == (128, 256, 0.5)
    assert (found.branches, found.divergent, found.barriers) == (2, 1, 2)
    assert (found.requests, found.copies, found.shared_requests) == (4, 2, 2)
    assert (found.executed, found.lanes) == (16, 32.0)


def test_nothing_moved_has_no_intensity() -> None:
    assert total([row("fma", "rn", "f32")]).intensity is None
    assert total([]).lanes == 0


def test_lines_in_order_without_those_that_nobody_runs() -> None:
    rows = (
        row("add", line=7),
        row("add", line=3),
        row("mul", line=7),
        row("add", line=5, threads=0),
        row("ret", line=0),
    )
    assert [(line.line, line.totals.executed) for line in by_line(LaunchCounts(rows, ()))] == [(3, 2), (7, 4)]


def test_the_worst_conflict_of_a_line_is_its_ways() -> None:
    rows = (row("ld", ways=2, line=4), row("ld", ways=8, line=4))
    assert by_line(LaunchCounts(rows, ()))[0].ways == 8


ARRAY = ArrayCounts("x", 4096, 4, 8192, 256, 0, 0, 0, 0, 64, 2048)


def test_reads_of_an_array() -> None:
    assert (reads_of(ARRAY), refetch_ratio(ARRAY)) == (4.0, 4.0)
    nothing = replace(ARRAY, distinct_bytes=0, block_sectors=0)
    assert (reads_of(nothing), refetch_ratio(nothing)) == (None, None)


def test_launches_of_one_kernel_add_up() -> None:
    once = run("__shared__ float s[256]; s[t] = x[i]; __syncthreads(); y[i] = s[t * 2 % 256];")
    twice = once + once
    assert total(twice.rows).sectors == 2 * total(once.rows).sectors
    assert total(twice.rows).executed == 2 * total(once.rows).executed
    assert [r.ways for r in twice.rows] == [r.ways for r in once.rows]
    assert [r.line for r in twice.rows] == [r.line for r in once.rows]
    (x,) = (array for array in twice.arrays if array.name == "x")
    (single,) = (array for array in once.arrays if array.name == "x")
    assert (x.size, x.itemsize, x.load_sectors) == (single.size, 4, 2 * single.load_sectors)
    assert reads_of(x) == reads_of(single)


def test_the_sample_is_that_of_the_dearer_launch() -> None:
    cheap, dear = (run(f"y[i] = x[i * {step}];") for step in (2, 16))
    (both,) = (r for r in (cheap + dear).rows if r.array == "x")
    (second,) = (r for r in dear.rows if r.array == "x")
    assert both.sample == second.sample
    assert next(r for r in (dear + cheap).rows if r.array == "x").sample == second.sample


def test_arrays_of_another_launch_are_kept() -> None:
    one = LaunchCounts((), (ARRAY,))
    other = LaunchCounts((), (replace(ARRAY, name="z"),))
    assert [array.name for array in (one + other).arrays] == ["x", "z"]
