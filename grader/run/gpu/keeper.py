"""Has the judge take kept outputs out of the device code's reach before its next launch.

From the GPU's memory where its processes can share it, else through the processor's. What is right is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from grader.measure.samples import Kept
from grader.problem import Problem
from grader.run.gpu.mailbox import Mailbox
from grader.run.handover import Outputs

if TYPE_CHECKING:
    from grader.run.gpu.reservoir import Keep

Ask = Callable[[dict[str, Any]], dict[str, Any]]
"""Sends the judge a message in the middle of a request, and gives its answer: "go_on", or "hand_over" in the
processor's memory what could not be taken from the GPU's."""


def keeper(problem: Problem, outputs: Outputs, ask: Ask, **label: Any) -> Keep:
    """What a Reservoir is to call. `label` goes with each message to the judge."""

    def keep(kept: Kept, mailbox: Mailbox) -> None:
        told = {**label, "replay": kept.replay, "buffer_set": kept.buffer_set}
        answer = ask({"kept": {**told, "handle": mailbox.handle()}})
        if answer["do"] == "hand_over":
            arrays = ((name, array.get()) for name, array in zip(problem.outputs, mailbox.arrays, strict=True))
            ask({"kept": {**told, "outputs": outputs.hand_over(arrays)}})

    return keep
