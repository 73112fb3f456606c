"""What the results of a case are compared with: its inputs, and all that follows from these alone.

Where the same cases are examined again and again, as those of a fixed seed, it is kept from one submission to the next.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from grader.check.formats import Format
from grader.check.tolerance import Bound, Inputs, Magnitudes, bounds, magnitudes
from grader.problem.cases import Case
from grader.problem.definition import Floats, Problem
from grader.problem.inputs import make_inputs

ROOM = 192 << 20
"""Bytes of all arrays that a process keeps."""
GROWTH = 8
"""References in float64, their bounds and scales, times the arrays of a case."""


class References:
    """The references of one case, each computed when it is first asked for. `sizes` includes the scalars.

    Nobody changes the arrays.
    """

    def __init__(self, problem: Problem, sizes: Mapping[str, int], family: str, inputs: Inputs) -> None:
        self.problem, self.sizes, self.family, self.inputs = problem, sizes, family, inputs
        self._magnitudes: dict[str, Magnitudes] = {}
        self._rounded: dict[Format, dict[str, Floats]] = {}

    @cached_property
    def bounds(self) -> Mapping[str, Bound]:
        """The values that each output may have."""
        return bounds(self.problem, self.sizes, self.family, self.inputs)

    def magnitudes(self, output: str) -> Magnitudes:
        """What errors of an output are measured against."""
        if output not in self._magnitudes:
            reference = {output: self.bounds[output].reference}
            self._magnitudes |= magnitudes(self.problem, self.sizes, self.inputs, reference)
        return self._magnitudes[output]

    def of_rounded(self, form: Format) -> Mapping[str, Floats]:
        """The outputs for inputs that are rounded to a format."""
        if form not in self._rounded:
            operands = self.problem.operands.items()
            numbers = {name: array.numbers(self.inputs[name]).astype(np.float32) for name, array in operands}
            rounded = dict(self.inputs) | {name: form.round(values) for name, values in numbers.items()}
            self._rounded[form] = self.problem.expected(rounded, self.sizes)
        return self._rounded[form]

    def count_bytes(self) -> int:
        """Bytes of all arrays so far."""
        return sum({id(array): array.nbytes for array in self._arrays()}.values())

    def _arrays(self) -> Iterator[Any]:
        found: Mapping[str, Bound] = vars(self).get("bounds", {})
        parts = [*found.values(), *self._magnitudes.values()]
        parts += [bound.truncation for bound in found.values() if bound.truncation is not None]
        for made in (self.inputs, *self._rounded.values(), *map(vars, parts)):
            yield from (array for array in made.values() if isinstance(array, np.ndarray))


class KnownReferences:
    """Keeps the references of cases, in about `room` bytes; those of problems that came long ago go first."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._lock = threading.Lock()
        # By the object: a problem that was loaded anew may be another.
        self._kept: dict[Problem, dict[tuple[object, ...], References]] = {}
        self._bytes: dict[References, int] = {}
        self._used: References | None = None

    def of(self, problem: Problem, case: Case) -> References:
        """The references of a case on the judge's side, made or known."""
        key = (tuple(case.sizes.items()), case.family, case.seed)
        with self._lock:
            if self._used is not None:
                # It may have grown since.
                self._bytes[self._used] = self._used.count_bytes()
            known = self._kept[problem] = self._kept.pop(problem, {})
            found = known.get(key)
            if found is None:
                found = references_of(problem, case)
                if self._has_room(problem, GROWTH * problem.array_bytes(case.sizes)):
                    known[key] = found
            self._used = found if key in known else None
            return found

    def _has_room(self, problem: Problem, size: int) -> bool:
        """Whether there is room, made at the cost of other problems: this one's cases come again in turn, the first
        of them first.
        """
        while sum(self._bytes.values()) + size > self._room:
            oldest = next(iter(self._kept))
            if oldest is problem or size > self._room:
                return False
            for gone in self._kept.pop(oldest).values():
                self._bytes.pop(gone, None)
        return True


def references_of(problem: Problem, case: Case) -> References:
    """The references of a case on the judge's side."""
    inputs = make_inputs(problem, case.sizes, case.family, case.seed)
    for array in inputs.values():
        array.flags.writeable = False
    return References(problem, case.numbers(problem), case.family, inputs)


known_references = KnownReferences()
"""The references that this process keeps."""
