"""What the judge makes of a process in Python that does not answer in time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest

from grader.core.verdict import Verdict
from grader.plan.frames import Hurried
from grader.plan.scripts.process import ScriptProcess
from grader.sandbox.children import ChildTimeout

COMPILING = {"op": "compiling", "name": "softmax_kernel"}
STEPS = {"op": "steps", "steps": []}


class Silent:
    """A process that sends these frames and no more, and takes no message."""

    def __init__(self, frames: Sequence[dict[str, Any]]) -> None:
        self._left = list(frames)

    def receive_bytes(self, seconds: float) -> bytes:
        if not self._left:
            raise ChildTimeout("no answer", "")
        return json.dumps(self._left.pop(0)).encode()

    def send(self, message: dict[str, Any]) -> None:
        raise ChildTimeout("a message stopped on its way", "")


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        ([COMPILING], "within 5 seconds on the host: softmax_kernel was still being compiled"),
        ([COMPILING, COMPILING], "within 5 seconds on the host: softmax_kernel was still being compiled"),
        ([COMPILING, STEPS], "within 5 seconds on the host"),
        ([STEPS], "within 5 seconds on the host"),
    ],
)
def test_a_compiler_that_took_all_the_time_is_named(frames: list[dict[str, Any]], words: str) -> None:
    process = ScriptProcess(cast(Any, Silent(frames)), 5.0)
    with pytest.raises(Hurried):
        while process.receive() is not None:
            pass
    stop = process.end_late()
    assert stop.message.endswith(words)
    assert ("elements" in stop.hint) == ("compiled" in words)


def test_a_process_that_takes_no_question_is_late() -> None:
    process = ScriptProcess(cast(Any, Silent([STEPS])), 5.0)
    process.ask({"do": "solve"})
    with pytest.raises(Hurried):
        process.receive()
    assert process.end_late().verdict is Verdict.TIME_LIMIT_EXCEEDED
