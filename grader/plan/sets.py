"""Plans for the many buffer sets of one measurement: two are recorded, and the others derived from their differences.

Recording a plan takes a process and 20 ms, and a measurement has up to hundreds of sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from grader.core.plan import Alloc, Plan
from grader.plan.planner import Planner
from grader.plan.relocation import Place, Relocation, learn
from grader.problem.harness import LaunchRefused

if TYPE_CHECKING:
    from grader.plan.runner import DeviceMemory
    from grader.problem import Problem


class SetPlans:
    """Plans one submission at one problem size, for one buffer set after another."""

    def __init__(self, problem: Problem, sizes: Mapping[str, int], planner: Planner) -> None:
        self._arrays = {
            name: array.nbytes(sizes) for name, array in (*problem.inputs.items(), *problem.outputs.items())
        }
        self._sizes = sizes
        self._planner = planner
        self._first: tuple[Plan, Sequence[Place]] | None = None
        self._learned: Relocation | None = None
        self._scratch: list[int] = []

    def plan(self, addresses: Mapping[str, int], device: DeviceMemory) -> Plan:
        """Returns the plan for these arrays; `device` provides the scratch. Raises what `Planner.plan` does."""
        if self._learned is not None:
            return self._relocated(self._learned, addresses, device)
        plan = self._planner.plan(self._sizes, addresses, device)
        if not self._planner.steered:
            self._compare(plan, addresses)
        return plan

    def _compare(self, plan: Plan, addresses: Mapping[str, int]) -> None:
        scratch = _pieces(plan)
        found = plan, [*(Place(addresses[name], size) for name, size in self._arrays.items()), *scratch]
        if self._first is not None:
            self._learned = learn(self._first, found)
            self._scratch = [place.size for place in scratch]
        self._first = found

    def _relocated(self, learned: Relocation, addresses: Mapping[str, int], device: DeviceMemory) -> Plan:
        places = [addresses[name] for name in self._arrays]
        for size in self._scratch:
            address = device.allocate(size)
            if address is None:
                raise LaunchRefused(f"there is no room for {size:,} bytes of scratch beside the other buffer sets")
            places.append(address)
        return learned.plan(places)


def _pieces(plan: Plan) -> list[Place]:
    """The plan's scratch, each piece once with its largest size: freed scratch may be allocated again."""
    sizes: dict[int, int] = {}
    for step in plan.steps:
        if isinstance(step, Alloc):
            sizes[step.address] = max(step.size, sizes.get(step.address, 0))
    return [Place(address, size) for address, size in sizes.items()]
