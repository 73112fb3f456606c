"""The emulator's process that counts costs: it runs plans like the usual one, and then returns their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from grader.run.emulated_device import EmulatedDevice
from grader.run.emulator import LaunchCounts
from grader.run.emulator_child import Worker, limit_memory
from grader.run.emulator_child import preload as preload_emulator
from grader.sandbox.serving import Message, serve


def preload(objects: Mapping[str, str]) -> Mapping[str, str]:
    """Prepares a template, from object code that was kept; returns what is new."""
    return preload_emulator(objects, count=True)


class CountingWorker(Worker):
    """A Worker that also answers `counts`."""

    counting = True

    def answer(self, request: Message) -> Message:
        if request["do"] == "counts":
            return self.counts()
        return super().answer(request)

    def make_device(self, image: str, symbols: Mapping[str, str], values: bool, compilers_own: str) -> EmulatedDevice:
        return EmulatedDevice(image, symbols, self.objects, count=True)

    def counts(self) -> Message:
        """Returns the counts of all launches, summed over those of one kernel with one block shape, in order."""
        assert self._device is not None
        found: dict[str, tuple[Message, LaunchCounts, int, int]] = {}
        for shape, counts in self._device.counted:
            key = repr((shape["kernel"], shape["block"], shape["shared_bytes"]))
            x, y, z = shape["grid"]
            if key not in found:
                found[key] = shape, counts, 1, x * y * z
            else:
                first, before, launches, blocks = found[key]
                found[key] = first, before + counts, launches + 1, blocks + x * y * z
        return {
            "launches": [
                {**shape, "launches": launches, "blocks": blocks, "counts": asdict(counts)}
                for shape, counts, launches, blocks in found.values()
            ]
        }


def main() -> None:
    limit_memory()
    serve(CountingWorker().answer)


if __name__ == "__main__":
    main()
