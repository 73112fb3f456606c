"""A process in Python that does not answer in time, asks for too much, or has a file that Python can't parse."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest

from grader.compile.program import Program
from grader.core.verdict import Form, LanguageName, Verdict
from grader.plan.device_table import EMULATED
from grader.plan.frames import Hurried
from grader.plan.python import child
from grader.plan.recorder_call import Ended
from grader.plan.scripts.call import Known, ScriptCall
from grader.plan.scripts.process import ScriptProcess
from grader.sandbox.children import ChildTimeout
from tests.plan.recorded import Shelf

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


def test_a_call_times_no_more_than_tuners_need() -> None:
    class Endless:
        def receive(self) -> dict[str, Any]:
            return {"op": "time", "steps": []}

        def send(self, payload: bytes) -> None:
            """Who asks gets an answer."""

        def wait_longer(self, seconds: float) -> None:
            """Nobody waits."""

    program = Program(Form.SOLVE, "compute_89", "", (), language=LanguageName.TRITON, script="solve")
    call = ScriptCall(program, (), EMULATED, Shelf(), cast(Any, Endless()), lambda calls: [], Known())
    with pytest.raises(Ended, match="times more than 4,096 trials in one call") as ended:
        call.run()
    assert ended.value.stop.verdict is Verdict.TIME_LIMIT_EXCEEDED


@pytest.mark.parametrize(
    ("raised", "words"), [(MemoryError(), "MemoryError"), (ValueError("null bytes"), "null bytes")]
)
def test_why_python_cannot_parse_a_file_is_told(raised: Exception, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_(*given: object) -> None:
        raise raised

    monkeypatch.setattr(child, "compile", compile_, raising=False)
    with pytest.raises(child.NotASubmission, match=f"can't parse the file: {words}$"):
        child.Worker(cast(Any, None))._import()
