"""How lanes lie to each other: distances, runs, and padding that ends conflicts, on made-up addresses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from grader.coach.pattern import Pattern, width_of
from grader.run.emulator.counts import RowCounts, Sample


def pattern(place: Callable[[int], int | None], size: int = 4) -> Pattern:
    return Pattern(Sample(0, 0, tuple(place(lane) for lane in range(32))), size)


@pytest.mark.parametrize(
    ("place", "step", "even", "run"),
    [
        (lambda lane: 4 * lane, 4, True, 32),
        (lambda lane: 128 * lane, 128, True, 1),
        (lambda lane: 0, 0, True, 1),
        (lambda lane: lane % 16 * 4 + lane // 16 * 512, 4, False, 16),
        (lambda lane: lane % 2 * 4 + lane // 2 * 128, 4, False, 2),
        (lambda lane: lane * lane * 4, None, False, 2),
        (lambda lane: 4 * lane if lane < 8 else None, 4, True, 8),
    ],
)
def test_distances(place: Callable[[int], int | None], step: int | None, even: bool, run: int) -> None:
    found = pattern(place)
    assert (found.step, found.is_even, found.run) == (step, even, run)


@pytest.mark.parametrize(
    ("place", "size", "alone", "joined"),
    [
        # Neighbours ask for the same, then lanes two apart, then lanes four apart, which join nothing.
        (lambda lane: lane // 2 * 8, 8, 2, 1),
        (lambda lane: (lane // 4 * 2 + lane % 2) * 8, 8, 2, 1),
        (lambda lane: (lane // 8 * 4 + lane % 4) * 8, 8, 2, 2),
        (lambda lane: 0, 16, 4, 2),
        (lambda lane: lane * 16, 16, 4, 4),
        # Every second lane is idle.
        (lambda lane: lane // 2 * 16 if lane % 2 == 0 else None, 16, 4, 2),
        (lambda lane: lane * 4, 4, 1, 1),
    ],
)
def test_phases_of_a_load_join_where_partners_agree(
    place: Callable[[int], int | None], size: int, alone: int, joined: int
) -> None:
    found = pattern(place, size)
    assert (found.wavefronts, replace(found, joins=True).wavefronts) == (alone, joined)


def test_one_lane_has_no_neighbour() -> None:
    found = pattern(lambda lane: 64 if lane == 7 else None)
    assert (found.step, found.is_even, found.run, found.sectors, found.wavefronts) == (None, False, 1, 1, 1)
    assert found.padding() is None


@pytest.mark.parametrize(
    ("place", "size", "padding"),
    [
        (lambda lane: 128 * lane, 4, (128, 4)),
        (lambda lane: 64 * lane, 4, (64, 4)),
        (lambda lane: 256 * lane, 8, (256, 8)),
        (lambda lane: 512 * lane, 16, (512, 16)),
        # Rows of eight lanes would have to be eight words further apart.
        (lambda lane: lane % 8 * 4 + lane // 8 * 128, 4, None),
    ],
)
def test_padding(place: Callable[[int], int], size: int, padding: tuple[int, int] | None) -> None:
    assert pattern(place, size).padding() == padding


@pytest.mark.parametrize(
    ("modifiers", "width"),
    [
        (("global", "f32"), 4),
        (("global", "nc", "v4", "f32"), 16),
        (("global", "v2", "b64"), 16),
        (("shared", "u8"), 1),
        (("shared", "b16"), 2),
        (("global", "add", "f32"), 4),
        (("global", "add", "noftz", "f16x2"), 4),
        (("global", "add", "noftz", "bf16"), 2),
        (("volatile", "global", "s32"), 4),
        (("global", "L2::128B", "f32"), 4),
    ],
)
def test_the_width_of_an_access(modifiers: tuple[str, ...], width: int) -> None:
    assert width_of(RowCounts(1, "", "ld", modifiers, 0, 1, 32, requests=1, bytes=32 * width)) == width


@pytest.mark.parametrize("width", [4, 8])
def test_the_width_of_a_fragment_is_what_its_lanes_ask_for(width: int) -> None:
    sample = Sample(0, 0, tuple(range(32)))
    modifiers = ("load", "a", "sync", "aligned", "row", "m16n16k16", "global", "f16")
    row = RowCounts(1, "", "wmma", modifiers, 0, 1, 32, requests=6, bytes=6 * 32 * width, sample=sample)
    assert width_of(row) == width


def test_a_row_of_ldmatrix_is_16_bytes_wide() -> None:
    modifiers = ("sync", "aligned", "m8n8", "x1", "shared", "b16")
    assert width_of(RowCounts(1, "", "ldmatrix", modifiers, 0, 1, 32, shared_requests=1, shared_bytes=128)) == 16


def test_what_is_no_access_has_no_width() -> None:
    assert width_of(RowCounts(1, "", "fma", ("rn", "f32"), 0, 1, 32)) == 0
