"""A plan's streams on CUDA streams that are forked and joined: what waits for what, against CUDA's own rules."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from grader.core.plan import ALL_STREAMS
from grader.run.gpu.lanes import MOST_LANES, Lanes

Step = tuple[Any, ...]


@dataclass
class FakeEvent:
    """What has come before it."""

    past: frozenset[int] = frozenset()


@dataclass
class FakeStream:
    """Keeps what work each piece of its work comes after."""

    past: frozenset[int] = frozenset()
    forked: bool = False
    before: dict[int, frozenset[int]] = field(default_factory=dict)

    def record(self, event: FakeEvent) -> None:
        event.past = self.past

    def wait_event(self, event: FakeEvent) -> None:
        self.past |= event.past
        self.forked = True

    def work(self, number: int) -> None:
        self.before[number] = self.past
        self.past |= {number}


def replayed(steps: list[Step]) -> tuple[dict[int, frozenset[int]], FakeStream, dict[int, FakeStream]]:
    """What each piece of work comes after, by its place in the plan; the main stream; and the others."""
    main = FakeStream()
    sides: dict[int, FakeStream] = {}

    def side(number: int) -> FakeStream:
        return sides.setdefault(number, FakeStream())

    lanes = Lanes(main, side, FakeEvent)
    for number, (do, *rest) in enumerate(steps):
        if do == "work":
            lanes.stream(*rest).work(number)
        else:
            getattr(lanes, do)(*rest)
    lanes.join()
    before = dict(main.before)
    for stream in sides.values():
        before.update(stream.before)
    return before, main, sides


def demanded(steps: list[Step]) -> dict[int, set[int]]:
    """What each piece of work has to come after: each rule of CUDA's by itself, and all that follows from them."""
    before: dict[int, set[int]] = {}
    events: dict[int, set[int]] = {}
    waits: dict[int, set[int]] = {}
    host: set[int] = set()
    for number, (do, *rest) in enumerate(steps):
        stream = rest[-1]
        # The legacy default stream waits for all others and they for it.
        mine = {n for n in before if stream in (0, ALL_STREAMS) or steps[n][-1] in (0, stream)}
        mine |= host | waits.get(stream, set())
        if stream in (0, ALL_STREAMS):
            mine = mine.union(*waits.values()) if waits else mine
        mine |= waits.get(0, set())
        mine = mine.union(*(before[n] for n in mine))
        if do == "work":
            before[number] = mine
        elif do == "record_event":
            events[rest[0]] = mine
        elif do == "wait_event" and rest[0] in events:
            if stream == ALL_STREAMS:
                host |= events[rest[0]]
            else:
                waits[stream] = waits.get(stream, set()) | events[rest[0]]
        elif do == "synchronize":
            host |= mine
    return before


def random_plan(seed: int) -> list[Step]:
    draw = random.Random(seed)
    steps: list[Step] = []
    for _ in range(draw.randrange(1, 40)):
        stream, event = draw.choice([0, 1, 1, 2, 2, 3, 3 + MOST_LANES]), draw.randrange(3)
        steps.append(
            draw.choice(
                [
                    *[("work", stream)] * 4,
                    ("record_event", event, stream),
                    ("wait_event", event, draw.choice([stream, stream, ALL_STREAMS])),
                    ("synchronize", draw.choice([stream, ALL_STREAMS])),
                ]
            )
        )
    return steps


@pytest.mark.parametrize("seed", range(300))
def test_no_order_that_cuda_keeps_is_lost_and_the_end_is_after_everything(seed: int) -> None:
    steps = random_plan(seed)
    before, main, sides = replayed(steps)
    for number, wanted in demanded(steps).items():
        assert wanted <= before[number], (number, steps)
    assert main.past == set(before)
    # A stream that was never forked from the captured one is no part of the graph.
    assert all(stream.forked for stream in sides.values())


def overlap(steps: list[Step]) -> set[tuple[int, int]]:
    before, _, _ = replayed(steps)
    return {(a, b) for a in before for b in before if a < b and a not in before[b] and b not in before[a]}


@pytest.mark.parametrize(
    ("steps", "pairs"),
    [
        ([("work", 1), ("work", 2)], {(0, 1)}),
        ([("work", 1), ("work", 2), ("work", 1)], {(0, 1), (1, 2)}),
        ([("work", 0), ("work", 1), ("work", 2), ("work", 0)], {(1, 2)}),
        ([("work", 1), ("work", 0), ("work", 2)], set()),
        ([("work", 1), ("record_event", 0, 1), ("work", 1), ("wait_event", 0, 2), ("work", 2)], {(2, 4)}),
        ([("work", 1), ("wait_event", 0, 2), ("work", 2), ("record_event", 0, 1)], {(0, 2)}),
        ([("work", 1), ("work", 2), ("synchronize", 1), ("work", 3)], {(0, 1), (1, 3)}),
        ([("work", 1), ("work", 2), ("synchronize", ALL_STREAMS), ("work", 3)], {(0, 1)}),
    ],
)
def test_what_may_overlap_does(steps: list[Step], pairs: set[tuple[int, int]]) -> None:
    assert overlap(steps) == pairs
