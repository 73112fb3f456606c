"""The process that samples: it runs plans on some blocks of each launch, and tells what they did."""

from __future__ import annotations

from collections.abc import Mapping

from grader.model.device import SamplingDevice
from grader.run.emulator_child import Worker, limit_memory
from grader.run.emulator_child import preload as preload_emulator
from grader.sandbox.serving import Message, serve


def preload(objects: Mapping[str, str]) -> Mapping[str, str]:
    """Prepares a template, from object code that was kept; returns what is new."""
    return preload_emulator(objects, count=True)


class SamplingWorker(Worker):
    """A Worker that also answers `sample`."""

    counting = True

    def __init__(self) -> None:
        super().__init__()
        self._sampling: SamplingDevice | None = None

    def answer(self, request: Message) -> Message:
        if request["do"] == "sample":
            assert self._sampling is not None
            self._sampling.results = request["results"]
            answer = {**self._run(request["steps"], **request["limits"]), "launches": self._sampling.samples}
            return {**answer, **self.results()} if request["results"] and answer["status"] == "done" else answer
        return super().answer(request)

    def make_device(self, image: str, symbols: Mapping[str, str], values: bool, compilers_own: str) -> SamplingDevice:
        self._sampling = SamplingDevice(image, symbols, self.objects)
        return self._sampling


def main() -> None:
    limit_memory()
    serve(SamplingWorker().answer)


if __name__ == "__main__":
    main()
