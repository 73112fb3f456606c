"""Writes a challenge's tests into a folder: inputs, initial contents of outputs, and the reference's results.

The judge reads them there and does the comparing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from grader.core.errors import ProblemError
from grader.problem.challenges import tensors
from grader.problem.challenges.c_types import is_array, kind_of, number_type, register
from grader.problem.challenges.manifest import (
    ARRAY,
    Manifest,
    Parameter,
    Test,
    expected_file,
    missed_file,
    start_file,
    untouched_file,
    write_manifest,
)
from grader.problem.challenges.running import Running, Values
from grader.problem.coded import CODED

TWICE_BYTES = 64 << 20
"""Tests up to this many bytes run the reference again to find out what it writes; larger ones rely on those."""

READS_ITS_OUTPUT = (
    'the challenge declares {0} as "out", and its reference reads what {0} holds at first: it holds what the test says'
)
RANDOM = (
    "the reference gives other results each time, as one that draws random numbers does: a right file may be refused"
)
MISSED = (
    "the reference misses its own tolerance for {0}: in {2} it is {1:.2g} times that from its results in float64, and "
    "so much more is allowed"
)


@dataclass(frozen=True)
class Order:
    """The tests to write. They go to `folder`; `most_bytes` is the largest test, None for any; the test numbers in
    `asked` are wanted up to `asked_bytes`.
    """

    folder: Path
    name: str
    difficulty: str
    seed: int
    most_bytes: int | None = None
    asked: Collection[int] = ()
    asked_bytes: int = 0
    twice_bytes: int = TWICE_BYTES

    def wants(self, number: int, size: int) -> bool:
        if self.most_bytes is None or size <= self.most_bytes:
            return True
        return number in self.asked and size <= self.asked_bytes


_Arrays = dict[str, np.ndarray[Any, Any]]


class Writer:
    """Writes the tests of one challenge."""

    def __init__(self, running: Running, order: Order) -> None:
        self._running = running
        self._order = order
        self._arrays = [name for name, (ctype, _) in running.signature.items() if is_array(ctype)]
        self._parameters: dict[str, Parameter] = {}
        self._tests: list[Test] = []
        self._read: set[str] = set()
        """Outputs that the reference reads."""
        self._partly: set[str] = set()
        """Outputs in which it leaves elements unwritten."""
        self._remarks: list[str] = []
        self._missed: dict[str, tuple[float, str]] = {}
        """The worst ratio, and the test, of each output where the reference exceeds its own tolerance."""
        self._idle: str | None = None
        """Label of the first test in which the reference writes nothing; "" once it writes something in any test."""

    def write(self) -> Manifest:
        """Writes all tests, and the manifest last. Raises ProblemError for a faulty challenge."""
        seed = self._order.seed
        for label, values in self._running.tests(seed):
            self._add(label, values)
        self._add_performance()
        if not any(test.shapes for test in self._tests):
            raise ProblemError(f"{self._order.name}: get_solve_signature names no array")
        if self._idle:
            # Any submission would be right.
            outputs = [p.name for p in self._parameters.values() if p.direction != "in"]
            raise ProblemError(
                f"{self._order.name}, {self._idle}: reference_impl writes nothing into {', '.join(outputs)}",
                "it has to write into the tensors that it is given; what it returns is not looked at",
            )
        parameters = tuple(
            replace(p, direction="inout") if p.name in self._read else p for p in self._parameters.values()
        )
        read = (READS_ITS_OUTPUT.format(name) for name in self._parameters if name in self._read)
        missed = (MISSED.format(name, *found) for name, found in self._missed.items())
        manifest = Manifest(
            name=self._order.name,
            title=self._running.title,
            difficulty=self._order.difficulty,
            atol=self._running.tolerance("atol"),
            rtol=self._running.tolerance("rtol"),
            parameters=parameters,
            tests=tuple(self._tests),
            remarks=(*dict.fromkeys(self._remarks), *missed, *read),
        )
        write_manifest(self._order.folder, manifest)
        return manifest

    def _add_performance(self) -> None:
        called, number = "performance test", len(self._tests) + 1
        if self._order.most_bytes is not None:
            shapes = self._shapes_of_performance()
            if not self._order.wants(number, self._bytes(shapes)):
                self._note(self._running.label_of(called, shapes), shapes, written=False)
                return
        values = self._running.performance_test(self._order.seed)
        self._add(self._running.label_of(called, values), values)

    def _shapes_of_performance(self) -> Values:
        """The performance test without values, if the challenge can make it so: its tensors may take gigabytes."""
        try:
            return self._running.performance_test(self._order.seed, "meta")
        except ProblemError:
            return self._running.performance_test(self._order.seed)

    def _add(self, label: str, values: Values) -> None:
        if empty := next((name for name in self._arrays if 0 in getattr(values[name], "shape", ())), None):
            self._remarks.append(f"{label} is left out: {empty} has no element there")
            return
        if not self._order.wants(len(self._tests) + 1, self._bytes(values)):
            self._note(label, values, written=False)
            return
        made = {name: tensors.make(v) if tensors.is_description(v) else v for name, v in values.items()}
        self._write_arrays(self._note(label, made, written=True), made)

    def _note(self, label: str, values: Values, written: bool) -> Test:
        """Adds the test to the list; the first test also defines the parameters."""
        shapes, numbers = {}, {}
        for name, (ctype, direction) in self._running.signature.items():
            try:
                parameter, number = _parameter(name, ctype, direction, values[name])
                self._check_alike(parameter)
            except ProblemError as error:
                raise ProblemError(f"{self._order.name}, {label}: {error.message}", error.hint) from None
            if parameter.kind == ARRAY:
                shapes[name] = tensors.shape_of(values[name])
            else:
                numbers[name] = number
        test = Test(len(self._tests) + 1, label, shapes, numbers, self._bytes(values), written)
        self._tests.append(test)
        return test

    def _check_alike(self, parameter: Parameter) -> None:
        first = self._parameters.setdefault(parameter.name, parameter)
        if first != parameter:
            raise ProblemError(f"{parameter.name} holds {parameter.dtype} here and {first.dtype} in the test before")

    def _write_arrays(self, test: Test, values: Values) -> None:
        outputs = [name for name in self._arrays if self._parameters[name].direction != "in"]
        folder = self._order.folder
        start = {name: tensors.as_numpy(values[name]) for name in self._arrays}
        for name in self._arrays:
            np.save(start_file(folder, test.number, name), start[name])
        undefined = [n for n in outputs if self._parameters[n].direction == "out" and tensors.is_undefined(start[n])]
        self._tests[-1] = replace(test, undefined=tuple(undefined))
        expected = self._referred(values)
        for name in outputs:
            np.save(expected_file(folder, test.number, name), expected[name])
        self._look_at_memory(test, values, start, expected)
        self._write_missed(test, values, expected, outputs)
        if test.bytes <= self._order.twice_bytes:
            self._try_again(test, values, expected, outputs)
        only_written = [name for name in outputs if self._parameters[name].direction == "out"]
        if only_written and (test.bytes <= self._order.twice_bytes or self._partly):
            again = self._referred(values, filled=only_written)
            wrote = [self._compare(test, name, start[name], expected[name], again[name]) for name in only_written]
            if only_written != outputs or any(wrote):
                self._idle = ""
            elif self._idle is None:
                self._idle = test.label

    def _look_at_memory(self, test: Test, values: Values, start: _Arrays, expected: _Arrays) -> None:
        """Remarks on inputs that the reference changes, and on arrays that share memory in the test."""
        for name in self._arrays:
            if self._parameters[name].direction == "in" and not _same(start[name], expected[name]):
                self._remarks.append(f"the reference changes its input {name}: results are those of one call of it")
        for first, second in combinations(self._arrays, 2):
            if tensors.share_memory(values[first], values[second]):
                self._remarks.append(
                    f"{first} and {second} are the same memory in {test.label}: solve() gets two arrays"
                )

    def _try_again(self, test: Test, values: Values, expected: _Arrays, outputs: Sequence[str]) -> None:
        """Calls the reference with a different random seed, and remarks if the results differ."""
        other = self._referred(values, seed=self._order.seed + 1)
        if not all(_same(expected[name], other[name]) for name in outputs):
            self._remarks.append(RANDOM)

    def _write_missed(self, test: Test, values: Values, expected: _Arrays, outputs: Sequence[str]) -> None:
        """Writes how far the reference is from its own results in float64, if that exceeds the tolerance."""
        inexact = [name for name in outputs if tensors.is_inexact(values[name])]
        if not inexact:
            return
        try:
            wide = {name: tensors.in_double(value) for name, value in values.items()}
            self._running.reference(wide, self._order.seed)
            true = {name: tensors.as_numpy(wide[name]).astype(np.float64) for name in inexact}
        except (ProblemError, TypeError):
            # The reference accepts only its own types.
            return
        atol, rtol = self._running.tolerance("atol"), self._running.tolerance("rtol")
        for name in inexact:
            got = self._numbers(name, expected[name])
            with np.errstate(invalid="ignore"):
                missed, own = abs(got - true[name]), atol + rtol * abs(got)
            missed = np.where(np.isfinite(missed), missed, 0.0)
            if (own > 0).all() and (missed > own).any():
                np.save(missed_file(self._order.folder, test.number, name), missed.astype(np.float32))
                worst = float((missed / own).max())
                self._missed[name] = max(self._missed.get(name, (0.0, "")), (worst, test.label))

    def _numbers(self, name: str, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        coded = CODED.get(self._parameters[name].coded)
        numbers: np.ndarray[Any, Any] = (values if coded is None else coded.decode(values)).astype(np.float64)
        return numbers

    def _referred(self, values: Values, filled: Collection[str] = (), seed: int | None = None) -> _Arrays:
        """Returns what the reference leaves in all arrays; those named in `filled` hold FILL bytes before."""
        copies = {n: v.detach().clone() if tensors.is_tensor(v) else v for n, v in values.items()}
        for name in filled:
            copies[name] = copies[name].contiguous()
            tensors.fill_bytes(copies[name])
        self._running.reference(copies, self._order.seed if seed is None else seed)
        return {name: tensors.as_numpy(copies[name]) for name in self._arrays}

    def _compare(self, test: Test, name: str, start: Any, expected: Any, again: Any) -> bool:
        """Notes whether the reference reads this output or leaves elements unwritten; returns whether it writes any."""
        kept, filled, first = (x.reshape(-1).view(np.uint8).reshape(x.size, -1) for x in (start, again, expected))
        untouched = ((filled == tensors.FILL) & (first == kept)).all(axis=1)
        if ((filled != first).any(axis=1) & ~untouched).any():
            self._read.add(name)
        elif untouched.any():
            self._partly.add(name)
            np.save(untouched_file(self._order.folder, test.number, name), untouched.reshape(start.shape))
        return not untouched.all()

    def _bytes(self, values: Mapping[str, Any]) -> int:
        return sum(tensors.nbytes_of(values[name]) for name in self._arrays if hasattr(values[name], "dtype"))


def _same(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    return bool((first.reshape(-1).view(np.uint8) == second.reshape(-1).view(np.uint8)).all())


def _parameter(name: str, ctype: Any, direction: str, value: Any) -> tuple[Parameter, int]:
    """Returns the Parameter, and the register bits of a number (0 for an array)."""
    if is_array(ctype):
        return tensors.array_parameter(name, ctype, direction, value), 0
    if direction != "in":
        raise ProblemError(f'{name} is a number and declared as "{direction}"; results go into arrays')
    number = value.item() if tensors.is_tensor(value) and value.numel() == 1 else value
    return Parameter(name, "in", number_type(ctype), kind_of(ctype)), register(name, ctype, number)
