"""A worker's work of less haste: sources to explain, taken when there is nothing to judge.

It reads no byte of a source; that is left to the process in which gradings run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from grader.contest.jobs import Answer, Question, Stalled
from grader.core.errors import KgradeError

NOT_HERE = "the machine that tried could not explain it"


class Source(Protocol):
    """Where a worker gets questions, and hands in answers."""

    def question(self) -> Question | None:
        """Claims the next question; None if there is none."""

    def answer(self, question: Question, answer: Answer) -> bool:
        """Delivers the answer. Returns False if the claim was no longer current."""


class Explainer:
    """Answers one question each time it is called, and tells whether there was one."""

    def __init__(self, source: Source, think: Callable[[Question, Callable[[str], None]], Answer]) -> None:
        self._source, self._think = source, think

    def __call__(self, progress: Callable[[str], None]) -> bool:
        try:
            question = self._source.question()
            if question is None:
                return False
            try:
                answer = self._think(question, progress)
            except Stalled:
                answer = Answer(None, "it took too long to explain")
            except KgradeError:
                answer = Answer(None, NOT_HERE)
            self._source.answer(question, answer)
        except KgradeError:
            # The server is away, and the lease runs out.
            return False
        return True
