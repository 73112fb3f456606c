"""What checks of sampled launches work on: a launch of a kernel with its model time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.coach.advice import Advice
from grader.model.gpus import ModelGpu
from grader.model.kernel import KernelTime, Prepared
from grader.model.sampling import LaunchSample


@dataclass(frozen=True)
class Modelled:
    """The launch of a kernel that takes most of its time, as it is prepared for the model, and its time."""

    prepared: Prepared
    time: KernelTime
    gpu: ModelGpu

    @property
    def launch(self) -> LaunchSample:
        return self.prepared.launch

    def part(self, *names: str) -> float:
        """The share of the time that goes to these causes."""
        return sum(self.time.parts.get(name, 0.0) for name in names) / self.time.seconds


ModelCheck = Callable[[Modelled], Iterator[Advice]]
