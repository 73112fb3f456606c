"""The emulator in a process of its own that also records: the questions that a Recorder asks it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.core.limits import Limits
from grader.core.plan import Plan, step_to_json
from grader.core.report import Dim3
from grader.replay.writers import Element, Writer
from grader.run.emulator_runner import EmulatorRunner
from grader.run.head_start import RECORDING
from grader.sandbox import Sandbox


class ReplayRunner(EmulatorRunner):
    """The emulator in a process that also records what chosen blocks do, step by step."""

    def __init__(self, folder: Path, sandbox: Sandbox, cache: Path | None = None) -> None:
        super().__init__(folder, sandbox, cache, RECORDING)

    def ask(self, do: str, plan: Plan, limits: Limits, **more: Any) -> dict[str, Any]:
        """Asks for `look` or `record`. Raises RunnerStopped."""
        steps = [step_to_json(step) for step in plan.steps]
        return self._ask({"do": do, "steps": steps, **asdict(limits), **more}, self._wall_seconds(limits))

    def first_failure(self, plan: Plan, limits: Limits) -> tuple[int, Dim3 | None] | None:
        """Runs a plan; returns the number of the first launch that fails, and its fault's block where it has one."""
        failed = self.ask("look", plan, limits, element=None, near=False)["failed"]
        return None if failed is None else (failed[0], None if failed[1] is None else tuple(failed[1]))

    def writers(self, plan: Plan, limits: Limits, element: Element, *, near: bool) -> list[Writer]:
        """Runs a plan; returns who wrote an element last in each launch, or with `near` who wrote next to it."""
        writers = self.ask("look", plan, limits, element=asdict(element), near=near)["writers"]
        return [Writer(*writer) for writer in writers]
