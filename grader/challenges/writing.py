"""A challenge's tests written into a folder: inputs, what outputs hold at first, and what the reference makes of them.

The judge reads them there. How a result is compared is not known here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from grader.challenges import tensors
from grader.challenges.c_types import is_array, kind_of, number_type, register
from grader.challenges.manifest import (
    ARRAY,
    Manifest,
    Parameter,
    Test,
    expected_file,
    start_file,
    untouched_file,
    write_manifest,
)
from grader.challenges.running import Running, Values
from grader.errors import ProblemError

TWICE_BYTES = 64 << 20
"""Up to which size of a test the reference runs twice, to see what it writes. Larger ones follow the smaller."""

READS_ITS_OUTPUT = (
    'the challenge declares {0} as "out", and its reference reads what {0} holds at first: it holds what the test says'
)


@dataclass(frozen=True)
class Order:
    """What is asked for. `folder` is where it goes; `most_bytes` is how large a test may be, None for any, and `asked`
    are the numbers of tests that are wanted up to `asked_bytes`.
    """

    folder: Path
    name: str
    difficulty: str
    seed: int
    most_bytes: int | None = None
    asked: Collection[int] = ()
    asked_bytes: int = 0

    def wants(self, number: int, size: int) -> bool:
        if self.most_bytes is None or size <= self.most_bytes:
            return True
        return number in self.asked and size <= self.asked_bytes


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
        """Outputs of which it leaves elements alone."""
        self._remarks: list[str] = []

    def write(self) -> Manifest:
        """Everything; the manifest last."""
        seed = self._order.seed
        for label, values in self._running.tests(seed):
            self._add(label, values)
        self._add_performance()
        if not any(test.shapes for test in self._tests):
            raise ProblemError(f"{self._order.name}: get_solve_signature names no array")
        parameters = tuple(
            replace(p, direction="inout") if p.name in self._read else p for p in self._parameters.values()
        )
        read = (READS_ITS_OUTPUT.format(name) for name in self._parameters if name in self._read)
        manifest = Manifest(
            name=self._order.name,
            title=self._running.title,
            difficulty=self._order.difficulty,
            atol=self._running.tolerance("atol"),
            rtol=self._running.tolerance("rtol"),
            parameters=parameters,
            tests=tuple(self._tests),
            remarks=(*self._remarks, *read),
        )
        write_manifest(self._order.folder, manifest)
        return manifest

    def _add_performance(self) -> None:
        label, number = "the performance test", len(self._tests) + 1
        if self._order.most_bytes is not None:
            shapes = self._shapes_of_performance()
            if not self._order.wants(number, self._bytes(shapes)):
                self._note(label, shapes, written=False)
                return
        self._add(label, self._running.performance_test(self._order.seed))

    def _shapes_of_performance(self) -> Values:
        """Its tensors without values, where the challenge can make them so: they may take gigabytes."""
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
        """Adds the test to the list, and the parameters at its first."""
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
        for name in self._arrays:
            np.save(start_file(folder, test.number, name), tensors.as_numpy(values[name]))
        expected = self._referred(values)
        for name in outputs:
            np.save(expected_file(folder, test.number, name), expected[name])
        only_written = [name for name in outputs if self._parameters[name].direction == "out"]
        if only_written and (test.bytes <= TWICE_BYTES or self._partly):
            again = self._referred(values, filled=only_written)
            wrote = [
                self._compare(test, name, tensors.as_numpy(values[name]), expected[name], again[name])
                for name in only_written
            ]
            if only_written == outputs and not any(wrote):
                # Whatever a submission did would be right.
                raise ProblemError(
                    f"{self._order.name}, {test.label}: reference_impl writes nothing into {', '.join(outputs)}",
                    "it has to write into the tensors that it is given; what it returns is not looked at",
                )

    def _referred(self, values: Values, filled: Collection[str] = ()) -> dict[str, np.ndarray[Any, Any]]:
        """What the reference leaves in all arrays, the given ones full of the same byte at first."""
        copies = {n: v.detach().clone() if tensors.is_tensor(v) else v for n, v in values.items()}
        for name in filled:
            copies[name] = copies[name].contiguous()
            tensors.fill_bytes(copies[name])
        self._running.reference(copies, self._order.seed)
        return {name: tensors.as_numpy(copies[name]) for name in self._arrays}

    def _compare(self, test: Test, name: str, start: Any, expected: Any, again: Any) -> bool:
        """Tells elements that the reference leaves alone from an output that it reads; whether it writes any."""
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


def _parameter(name: str, ctype: Any, direction: str, value: Any) -> tuple[Parameter, int]:
    """The Parameter, and the register of a number."""
    if is_array(ctype):
        return tensors.array_parameter(name, ctype, direction, value), 0
    if direction != "in":
        raise ProblemError(f'{name} is a number and declared as "{direction}"; results go into arrays')
    number = value.item() if tensors.is_tensor(value) and value.numel() == 1 else value
    return Parameter(name, "in", number_type(ctype), kind_of(ctype)), register(name, ctype, number)
