"""The process that records: it runs a plan on the emulator, then one block with a journal, and sends the Trace."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from grader.problem.coded import BF16
from grader.replay.assemble import About, Assembler
from grader.replay.device import ROWS, Goal, RecordingDevice
from grader.replay.model import SourceFile
from grader.replay.packing import QUICK, pack
from grader.replay.writers import Element
from grader.run.emulator_child import Worker, limit_memory, preload
from grader.sandbox.serving import Message, by_name, serve

__all__ = ["RecordingWorker", "main", "preload"]

_ENCODINGS = {"f": "float", "i": "signed", "u": "unsigned"}


class RecordingWorker(Worker):
    """A Worker that also answers `look` and `record`."""

    def __init__(self) -> None:
        super().__init__()
        self._recording: RecordingDevice | None = None
        self._more = by_name(self.look, self.record)

    def answer(self, request: Message) -> Message:
        if request["do"] in ("look", "record"):
            return self._more(request)
        return super().answer(request)

    def make_device(self, image: str, symbols: Mapping[str, str], values: bool, compilers_own: str) -> RecordingDevice:
        self._recording = RecordingDevice(image, symbols, self.objects, compilers_own=compilers_own)
        return self._recording

    def look(
        self,
        steps: Sequence[Message],
        instructions: int,
        seconds: float,
        element: Mapping[str, Any] | None,
        near: bool,
    ) -> Message:
        """Runs a plan; returns the first launch that failed, and who wrote an element or next to it."""
        assert self._recording is not None
        self._recording.begin(None, None if element is None else Element(**element), near)
        self._recording.run(steps, instructions, seconds)
        return {
            "failed": self._recording.failed,
            "writers": [[one.launch, one.block, one.distance] for one in self._recording.writers],
        }

    def record(
        self,
        steps: Sequence[Message],
        instructions: int,
        seconds: float,
        launch: int,
        blocks: Sequence[int],
        file: str,
        source: str,
        about: Mapping[str, Any],
        rows: int,
        before: bool,
        keeps_last: bool,
        sought: Mapping[str, Any] | None,
    ) -> Message:
        """Runs a plan up to a launch and records blocks of it; returns the packed trace, and how the blocks ended.

        Of a recording that ends before it writes the `sought` element only that is told.
        """
        assert self._recording is not None and self._problem is not None
        self._recording.begin(Goal(launch, tuple(blocks)))
        self._recording.rows, self._recording.before = min(rows, ROWS), before
        self._recording.keeps_last = keeps_last
        self._recording.run(steps, instructions, seconds)
        recorded = self._recording.recorded
        if recorded is None:
            return {}
        if sought is not None and self._recording.ends_before(Element(**sought)):
            return {"beyond": True}
        arrays = {**self._problem.inputs, **self._problem.outputs}
        types = {
            name: (array.dtype.c_type, "bfloat16" if array.dtype.coded is BF16 else _ENCODINGS[array.dtype.numpy[0]])
            for name, array in arrays.items()
        }
        roles = {name: "output" if array.output else "input" for name, array in arrays.items()}
        trace = Assembler(recorded, SourceFile(file, tuple(source.splitlines())), About(types, roles)).trace(**about)
        return {
            "trace": base64.b64encode(pack(trace, QUICK)).decode(),
            "before": recorded.before,
            "begins_late": any(journal.begin > 0 for journal in recorded.journals),
            "status": [result.status for result in recorded.results],
            "messages": [result.fault.message if result.fault is not None else "" for result in recorded.results],
        }


def main() -> None:
    limit_memory()
    serve(RecordingWorker().answer)


if __name__ == "__main__":
    main()
