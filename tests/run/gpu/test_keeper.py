"""What becomes of outputs that were kept: taken from the GPU's memory, or handed over in the processor's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grader.measure.samples import Kept
from grader.problem.definition import Problem
from grader.problem.gates import exact
from grader.problem.parameters import array, f32, out, size
from grader.run.gpu.keeper import keeper
from grader.run.handover import Outputs, read_array

Message = dict[str, Any]
KEPT = Kept(12, 3)
LOW, HIGH = np.arange(5, dtype=np.float32), np.arange(5, dtype=np.float32) + 0.5


class OnDevice:
    """An array that has to be fetched."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values
        self.fetched = 0

    def get(self) -> np.ndarray[Any, Any]:
        self.fetched += 1
        return self.values


@pytest.fixture
def problem() -> Problem:
    params = {"x": array(f32, "N"), "low": out(f32, "N"), "high": out(f32, "N"), "N": size(1, 100)}
    return Problem(title="Both", difficulty="easy", kernel="both", params=params, gates=exact())


@pytest.fixture
def outputs() -> Iterator[Outputs]:
    outputs = Outputs(os.memfd_create("outputs"))
    yield outputs
    os.close(outputs.descriptor)


def mailbox(handle: str | None) -> Any:
    return SimpleNamespace(handle=lambda: handle, arrays=[OnDevice(LOW), OnDevice(HIGH)])


def judge(*answers: str) -> tuple[list[Mapping[str, Any]], Callable[[Message], Message]]:
    """What the judge was told, and the judge, who gives these answers in turn and no more."""
    told: list[Mapping[str, Any]] = []
    left = iter(answers)

    def ask(message: Message) -> Message:
        told.append(message)
        return {"do": next(left)}

    return told, ask


def test_what_is_taken_from_the_gpus_memory_crosses_no_other_way(problem: Problem, outputs: Outputs) -> None:
    told, ask = judge("go_on")
    box = mailbox("c0ffee")
    keeper(problem, outputs, ask)(KEPT, box)
    assert told == [{"kept": {"replay": 12, "buffer_set": 3, "handle": "c0ffee"}}]
    assert [array.fetched for array in box.arrays] == [0, 0]
    assert os.fstat(outputs.descriptor).st_size == 0


@pytest.mark.parametrize("handle", [None, "c0ffee"], ids=["no memory to share", "not opened"])
def test_what_could_not_be_taken_is_handed_over(problem: Problem, outputs: Outputs, handle: str | None) -> None:
    told, ask = judge("hand_over", "go_on")
    keeper(problem, outputs, ask)(KEPT, mailbox(handle))
    assert told[0] == {"kept": {"replay": 12, "buffer_set": 3, "handle": handle}}
    kept = dict(told[1]["kept"])
    offsets = kept.pop("outputs")
    assert kept == {"replay": 12, "buffer_set": 3}
    for name, values in (("low", LOW), ("high", HIGH)):
        here = np.empty(5, np.float32)
        read_array(outputs.descriptor, offsets[name], here)
        assert (here == values).all()


def test_a_label_goes_with_every_message(problem: Problem, outputs: Outputs) -> None:
    told, ask = judge("hand_over", "go_on")
    keeper(problem, outputs, ask, contender="1")(KEPT, mailbox(None))
    assert [message["kept"]["contender"] for message in told] == ["1", "1"]


def test_a_judge_that_has_gone_ends_it(problem: Problem, outputs: Outputs) -> None:
    def ask(message: Message) -> Message:
        raise EOFError

    with pytest.raises(EOFError):
        keeper(problem, outputs, ask)(KEPT, mailbox(None))
