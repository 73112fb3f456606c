"""Plans for many buffer sets from two of them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.core.plan import Alloc, Free, Launch, Plan
from grader.plan.sets import SetPlans
from grader.problem import Problem, load_problem
from grader.problem.harness import LaunchRefused

SIZES = {"N": 1000}


@pytest.fixture(scope="module")
def problem() -> Problem:
    return load_problem(Path(__file__).parents[2] / "problems" / "zip")


class Scratch:
    """Gives memory from an address of its own on, as long as there is some."""

    def __init__(self, pieces: int = 100) -> None:
        self.pieces, self.next = pieces, 1 << 40

    def allocate(self, size: int) -> int | None:
        self.pieces -= 1
        self.next += 1 << 20
        return self.next if self.pieces >= 0 else None


class Planning:
    """Plans a kernel that writes through scratch; `differs` is in the launch of each plan."""

    leak = ""

    def __init__(self, steered: bool = False, differs: tuple[int, ...] = (1, 1, 1, 1)) -> None:
        self.steered, self.differs, self.calls = steered, differs, 0

    def plan(self, sizes: Mapping[str, int], addresses: Mapping[str, int], device: Any) -> Plan:
        assert sizes == SIZES
        grid, scratch = self.differs[self.calls], device.allocate(512)
        self.calls += 1
        words = (addresses["a"], addresses["b"] + 8, scratch, addresses["output"])
        arguments = tuple(struct.pack("<Q", word) for word in words)
        launch = Launch("k", (grid, 1, 1), (64, 1, 1), 0, arguments)
        return Plan((Alloc(scratch, 512), launch, Free(scratch)))

    def launch_line(self, kernel: str) -> int | None:
        return None


def addresses_of(number: int) -> dict[str, int]:
    base = (number + 1) << 32
    return {"a": base, "b": base + (1 << 16), "output": base + (2 << 16)}


def planned(problem: Problem, planning: Planning, scratch: Scratch, count: int = 4) -> list[Plan]:
    plans = SetPlans(problem, SIZES, planning)
    return [plans.plan(addresses_of(number), scratch) for number in range(count)]


def test_the_third_follows_from_two(problem: Problem) -> None:
    planning = Planning()
    made = planned(problem, planning, Scratch())
    assert planning.calls == 2
    by_hand, scratch = Planning(), Scratch()
    assert made == [by_hand.plan(SIZES, addresses_of(number), scratch) for number in range(4)]


@pytest.mark.parametrize("planning", [Planning(steered=True), Planning(differs=(1, 2, 3, 4))], ids=["read", "differs"])
def test_what_can_not_be_learned_is_made_each_time(problem: Problem, planning: Planning) -> None:
    planned(problem, planning, Scratch())
    assert planning.calls == 4


def test_no_room_for_scratch(problem: Problem) -> None:
    with pytest.raises(LaunchRefused, match="no room for 512 bytes"):
        planned(problem, Planning(), Scratch(pieces=3))


def test_scratch_that_is_allocated_again_is_one_piece(problem: Problem) -> None:
    class Again(Planning):
        def plan(self, sizes: Mapping[str, int], addresses: Mapping[str, int], device: Any) -> Plan:
            first = super().plan(sizes, addresses, device)
            place = first.steps[0]
            assert isinstance(place, Alloc)
            return Plan((*first.steps, Alloc(place.address, 100), *first.steps[1:]))

    plans, device = SetPlans(problem, SIZES, Again()), Scratch(pieces=3)
    steps = [plans.plan(addresses_of(number), device).steps for number in range(3)]
    assert [type(step) for step in steps[2]] == [type(step) for step in steps[0]]
    where = [step.address for step in steps[2] if isinstance(step, (Alloc, Free))]
    assert where == [device.next] * 4
