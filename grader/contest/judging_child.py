"""The process in which a worker's gradings run: judges, reports progress, and sends signs of life.

It has no token and knows no server. If it gets stuck, the worker kills it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from grader.contest.jobs import Job, Question
from grader.contest.judging import MachineJudge
from grader.core.memory import keep_freed_memory
from grader.run.templates import use_templates
from grader.sandbox import Sandbox
from grader.sandbox.serving import Channel, Message, child_connection, serve
from grader.store.workspace import Workspace

TICK_SECONDS = 1.0


class Answers:
    """Answers the worker's requests with `judge`; progress texts and ticks precede each answer."""

    def __init__(self, judge: MachineJudge, channel: Channel) -> None:
        self._judge, self._channel = judge, channel
        self._sending = threading.Lock()

    def answer(self, request: Message) -> Message:
        with self._ticking():
            if "job" in request:
                return {"outcome": asdict(self._judge(Job(**request["job"]), self._progress))}
            if "question" in request:
                return asdict(self._judge.explain(Question(**request["question"]), self._progress))
            return {"note": self._judge.self_test(self._progress)}

    def _progress(self, text: str) -> None:
        self._send({"progress": text})

    def _send(self, message: Message) -> None:
        with self._sending:
            self._channel.send(message)

    @contextmanager
    def _ticking(self) -> Iterator[None]:
        """Sends ticks from a thread while Python runs; code that holds the GIL for long silences it."""
        done = threading.Event()

        def tick() -> None:
            while not done.wait(TICK_SECONDS):
                self._send({"progress": None})

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def main() -> None:
    channel = child_connection()
    workspace, device, cache, sandboxed = sys.argv[1:]
    keep_freed_memory()
    use_templates(Sandbox.find())
    folder = Path(cache) if cache else None
    judge = MachineJudge(Workspace(Path(workspace)), device, folder, require_sandbox=sandboxed == "sandboxed")
    serve(Answers(judge, channel).answer, channel)


if __name__ == "__main__":
    main()
