"""Lets the judge take kept outputs out of the device code's reach before its next launch.

They pass through GPU memory if its processes can share it, else through the CPU's. The judge decides what is right.
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
"""Sends the judge a message in the middle of a request, and returns its answer: "go_on", or "hand_over" to get, in CPU
memory, what it could not take from the GPU's.
"""


def keeper(problem: Problem, outputs: Outputs, ask: Ask, **label: Any) -> Keep:
    """Returns what a Reservoir calls. `label` goes with each message to the judge."""

    def keep(kept: Kept, mailbox: Mailbox) -> None:
        told = {**label, "replay": kept.replay, "buffer_set": kept.buffer_set}
        answer = ask({"kept": {**told, "handle": mailbox.handle()}})
        if answer["do"] == "hand_over":
            arrays = ((name, array.get()) for name, array in zip(problem.outputs, mailbox.arrays, strict=True))
            ask({"kept": {**told, "outputs": outputs.hand_over(arrays)}})

    return keep
