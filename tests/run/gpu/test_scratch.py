"""Scratch in the GPU's process: pieces that a plan frees, and allocates again; no GPU is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cupy
import pytest

from grader.core.plan import Alloc, Free, Memset, step_to_json
from grader.plan.extents import Extents, Outside
from grader.run.gpu.scratch import Scratch


class FakeArray:
    """Device memory at an address of its own."""

    next = 1 << 20

    def __init__(self, size: int) -> None:
        self.nbytes, self.pointer = size, FakeArray.next
        FakeArray.next += 1 << 20


class Played(Scratch):
    def make_array(self, size: int) -> Any:
        return FakeArray(size)


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scratch]:

    monkeypatch.setattr(cupy.cuda.runtime, "memGetInfo", lambda: (1 << 30, 1 << 30))
    monkeypatch.setattr(cupy.cuda.runtime, "memset", lambda *_: None)
    yield Played(Extents())


def check(scratch: Scratch, *steps: Any) -> None:
    for step in steps:
        scratch.check_step(step_to_json(step))


def test_a_piece_may_be_freed_and_allocated_again(scratch: Scratch) -> None:
    at = scratch.allocate(1000)
    assert at is not None
    check(scratch, Alloc(at, 1000), Memset(at, 0, 1000), Free(at), Alloc(at, 400), Memset(at, 0, 400), Free(at))
    assert list(scratch.arrays) == ["scratch 1 (1,000 bytes)"]


@pytest.mark.parametrize(
    "again",
    [(Memset(0, 0, 1),), (Free(0),), (Alloc(0, 400), Memset(0, 0, 401)), (Alloc(0, 1001),)],
    ids=["used when freed", "freed twice", "beyond its new size", "larger than it was"],
)
def test_what_is_outside_after_it_was_freed(scratch: Scratch, again: tuple[Any, ...]) -> None:
    at = scratch.allocate(1000)
    assert at is not None
    check(scratch, Alloc(at, 1000), Free(at))
    moved = [{**step_to_json(step), "address": at} for step in again]
    for step in moved[:-1]:
        scratch.check_step(step)
    with pytest.raises(Outside):
        scratch.check_step(moved[-1])


def test_scratch_that_never_was_is_outside(scratch: Scratch) -> None:
    with pytest.raises(Outside, match="no such piece was"):
        check(scratch, Alloc(4096, 8))
