"""Plans that the judge records for timed buffer sets, in the GPU's process; no GPU is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pytest

from grader.core.plan import Memset, step_to_json
from grader.plan.extents import Outside
from grader.problem import load_problem
from grader.run.gpu.recorded import Recorded
from grader.run.gpu.replay import Kernels, Replay
from grader.run.handover import Outputs
from grader.sandbox.serving import Message

MAP = Path(__file__).parents[3] / "problems" / "map"
TABLE, TABLE_BYTES = 9000, 64


class FakeKernels:
    def variable(self, name: str) -> tuple[int, int] | None:
        return (TABLE, TABLE_BYTES) if name == "table" else None


class FakeReplay:
    def __init__(self, kernels: Kernels, steps: list[Message]) -> None:
        self.enqueue_forked = steps


class Played(Recorded):
    replay = cast(type[Replay], FakeReplay)


@pytest.fixture
def answers() -> list[Message]:
    """What the judge is going to say, in this order."""
    return []


def recorder(answers: list[Message]) -> tuple[Recorded, list[Message]]:
    asked: list[Message] = []

    def ask(message: Message) -> Message:
        asked.append(message)
        return answers.pop(0)

    kernels = cast(Kernels, FakeKernels())
    return Played(
        load_problem(MAP), {"N": 8}, kernels, Outputs(os.memfd_create("outputs")), ask, sigma=1.0, limit=1.0
    ), asked


def setting(address: int, size: int = TABLE_BYTES) -> Any:
    return {"do": "replay", "steps": [step_to_json(Memset(address, 0, size))]}


def test_a_variable_that_one_plan_asked_for_is_known_to_those_that_follow_from_it(answers: list[Message]) -> None:
    answers += [{"do": "symbol", "name": "table"}, setting(TABLE), setting(TABLE)]
    made, asked = recorder(answers)
    places = [{"input": 512 * number, "output": 512 * number + 256} for number in range(2)]
    steps = [made(number, addresses).launch for number, addresses in enumerate(places)]
    assert steps == [setting(TABLE)["steps"]] * 2
    assert asked == [
        {"record": {"set": 0, "addresses": places[0]}},
        {"address": TABLE},
        {"record": {"set": 1, "addresses": places[1]}},
    ]


@pytest.mark.parametrize("address", [TABLE - 1, TABLE + 1])
def test_memory_beside_a_variable_is_refused(answers: list[Message], address: int) -> None:
    answers += [{"do": "symbol", "name": "table"}, setting(TABLE), setting(address)]
    made, _ = recorder(answers)
    made(0, {"input": 0, "output": 256})
    with pytest.raises(Outside):
        made(1, {"input": 512, "output": 768})


def test_a_variable_that_is_not_there_has_no_address(answers: list[Message]) -> None:
    answers += [{"do": "symbol", "name": "other"}, setting(TABLE)]
    made, asked = recorder(answers)
    with pytest.raises(Outside):
        made(0, {"input": 0, "output": 256})
    assert asked[1] == {"address": None}
