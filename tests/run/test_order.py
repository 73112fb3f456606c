"""What streams, events and waits of the host order, and what is told of two steps that nothing orders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from grader.core.plan import ALL_STREAMS, NON_BLOCKING
from grader.run.crossings import Crossings, Touched
from grader.run.order import Order, other_way
from grader.sandbox.serving import Message

FREE = NON_BLOCKING + 5


def work(stream: int, line: int = 0, do: str = "launch") -> Message:
    return {"do": do, "stream": stream, "kernel": f"k{line}", "line": line}


def record(event: int, stream: int) -> Message:
    return {"do": "record_event", "event": event, "stream": stream}


def wait(event: int, stream: int) -> Message:
    return {"do": "wait_event", "event": event, "stream": stream}


def synchronize(stream: int = ALL_STREAMS) -> Message:
    return {"do": "synchronize", "stream": stream}


def last_is_open(*steps: Message) -> bool:
    order, found = Order(), False
    for step in steps:
        place = order.see(step)
        found = place is not None and order.is_open(place)
    return found


@pytest.mark.parametrize(
    ("steps", "is_open"),
    [
        ([work(1), work(1)], False),
        ([work(1), work(2)], True),
        ([work(0), work(2)], False),
        ([work(2), work(0)], False),
        ([work(0), work(FREE)], True),
        ([work(FREE), work(0)], True),
        # By way of the default stream.
        ([work(1), work(0), work(2)], False),
        ([work(1), record(1, 0), work(2)], False),
        ([work(1), record(1, 1), wait(1, 2), work(2)], False),
        ([record(1, 1), work(1), wait(1, 2), work(2)], True),
        ([work(1), record(1, 1), wait(1, 2), work(3)], True),
        # An event never recorded stands for nothing.
        ([work(1), wait(1, 2), work(2)], True),
        # What it stood for when the stream was told to wait, not what it stands for later.
        ([record(1, 1), wait(1, 2), work(1), record(1, 1), work(2)], True),
        ([work(1), record(1, 1), wait(1, 2), record(2, 2), wait(2, FREE), work(FREE)], False),
        ([work(1), synchronize(), work(2)], False),
        ([work(1), synchronize(1), work(2)], False),
        ([work(1), synchronize(3), work(2)], True),
        # The default stream waits for blocking streams, and the host for it.
        ([work(1), synchronize(0), work(2)], False),
        ([work(FREE), synchronize(0), work(2)], True),
        ([work(1), record(1, 1), wait(1, ALL_STREAMS), work(FREE)], False),
        ([work(0, do="upload"), work(FREE)], False),
        ([work(1, do="upload"), work(FREE)], True),
        ([work(1, do="alloc"), work(2)], True),
        ([work(ALL_STREAMS, do="alloc"), work(2)], False),
    ],
    ids=str,
)
def test_what_a_step_comes_after(steps: Sequence[Message], is_open: bool) -> None:
    assert last_is_open(*steps) == is_open


def test_whether_anything_has_to_be_watched_is_known_before() -> None:
    assert not Order().leaves_open([work(1), record(1, 1), wait(1, 2), work(2)])
    assert Order().leaves_open([work(1), work(2)])
    # A copy to the host waits for its own stream alone.
    assert Order().leaves_open([work(1), work(2, do="download"), synchronize(2)])
    assert not Order().leaves_open([work(1), work(0, do="download"), synchronize(0)])
    assert not Order().leaves_open([])
    later = Order()
    later.see(work(1))
    assert later.leaves_open([work(FREE)])


def touched(reads: Sequence[int] = (), writes: Sequence[int] = (), atomics: Sequence[int] = ()) -> dict[int, Touched]:
    masks = np.zeros((3, 16), np.bool_)
    masks[0, list(reads)] = masks[1, list(writes)] = masks[2, list(atomics)] = True
    return {4096: Touched(*masks)}


@pytest.mark.parametrize(
    ("first", "second", "offset"),
    [
        (touched(writes=range(8)), touched(reads=range(6, 10)), 6),
        (touched(reads=range(8)), touched(writes=[7]), 7),
        (touched(writes=[3]), touched(writes=[3, 4]), 3),
        (touched(reads=range(16)), touched(reads=range(16)), None),
        (touched(atomics=range(16)), touched(atomics=range(16)), None),
        (touched(atomics=range(16)), touched(reads=[15]), 15),
        (touched(writes=[9]), touched(atomics=range(16)), 9),
        (touched(writes=range(8)), touched(reads=range(8, 16), writes=range(8, 16)), None),
    ],
)
def test_two_steps_in_no_order(first: dict[int, Touched], second: dict[int, Touched], offset: int | None) -> None:
    for streams, told in (((1, 2), True), ((1, 1), False)):
        order, crossings, found = Order(), Crossings(), None
        for line, (stream, of) in enumerate(zip(streams, (first, second), strict=True), 11):
            place = order.see(work(stream, line))
            assert place is not None
            found = crossings.see(work(stream, line), place, of)
        assert (found.offset if found else None) == (offset if told else None)


def test_both_steps_are_named_and_what_is_missing() -> None:
    order, crossings = Order(), Crossings()
    steps = [(work(0, 7), touched(writes=[1])), (work(0, 8), touched()), (work(FREE, 9), touched(reads=[1]))]
    found = None
    for step, of in steps:
        place = order.see(step)
        assert place is not None
        found = crossings.see(step, place, of)
    assert found is not None
    assert found.message("x") == (
        "data race between two launches in x: it is written by k7 of line 7, and in another stream is read by k9 of "
        "line 9, in no order"
    )
    assert "behind line 7 (cudaEventRecord)" in found.hint and "before line 9" in found.hint
    assert "cudaStreamNonBlocking" in found.hint


def test_memory_that_is_given_again_is_other_memory() -> None:
    order, crossings = Order(), Crossings()
    for step in (work(1, 7), work(2, 8)):
        place = order.see(step)
        assert place is not None
        assert crossings.see(step, place, touched(writes=[1])) is None
        crossings.forget(4096)


def test_the_other_way_keeps_what_is_ordered() -> None:
    def lines(*steps: Message) -> list[int]:
        return [step["line"] for step in other_way(steps)]

    assert lines(work(1, 1), work(1, 2), work(2, 3), work(2, 4)) == [3, 4, 1, 2]
    assert lines(work(0, 1), work(0, 2), work(1, 3), work(0, 4)) == [1, 2, 3, 4]
    assert lines(work(0, 1), work(FREE, 2)) == [2, 1]
    assert lines(work(1, 1), record(1, 1), work(1, 2), wait(1, 2), work(2, 3)) == [1, 3, 2]
    assert lines(work(1, 1), synchronize(1), work(2, 2)) == [1, 2]
    # cudaMalloc is the host's.
    assert lines(work(1, 1), work(ALL_STREAMS, 2, "alloc"), work(2, 3), work(3, 4)) == [1, 2, 4, 3]
