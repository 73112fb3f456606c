"""A challenge as a Problem: its tests instead of drawn sizes, its own tolerance, and reference results from files.

`test` is its only size. `writing` wrote the arrays; they are read only when needed, so that a runner's process never
has the expected results in its memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.problem.arrays import module_of
from grader.problem.challenges.manifest import (
    ARRAY,
    Manifest,
    Parameter,
    Test,
    expected_file,
    missed_file,
    read_manifest,
    start_file,
)
from grader.problem.challenges.manifest import untouched_file as untouched
from grader.problem.coded import CODED
from grader.problem.definition import Cost, Floats, Problem
from grader.problem.gates import stated
from grader.problem.parameters import Array, DType, Size
from grader.problem.structure import Draw

Made = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class TestArray(Array):
    """An array with a different shape in each test. `shapes` are by the test's number."""

    shapes: Mapping[int, tuple[int, ...]] | None = None

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        assert self.shapes is not None
        return self.shapes[sizes["test"]]

    def nbytes(self, sizes: Mapping[str, int]) -> int:
        return prod(self.shape(sizes)) * self.dtype.itemsize


class ChallengeProblem(Problem):
    """A Problem whose tests are in `folder`."""

    cost_is_known = False

    def __init__(self, manifest: Manifest, folder: Path) -> None:
        self.name = manifest.name
        self.folder = folder
        self.title = manifest.title
        self.difficulty = manifest.difficulty
        self.tags = ()
        self.kernel = "solve"
        self.constants = {}
        self.baseline_file = None
        self.races_are_fatal = True
        self.gates = stated(manifest.atol, manifest.rtol)
        self.remarks = manifest.remarks
        self.computed = {}
        self.tests = {test.number: test.written for test in manifest.tests}
        self.labels = {test.number: test.label for test in manifest.tests}
        self._tests = {test.number: test for test in manifest.tests}
        self._parameters = {parameter.name: parameter for parameter in manifest.parameters}
        self._functions, self._taken = {}, {}
        self.params = {p.name: _declared(p, manifest.tests) for p in manifest.parameters}
        timed = manifest.tests[-1]
        self.benchmarks = ({"test": timed.number},) if timed.written else ()

    @cached_property
    def sizes(self) -> dict[str, Size]:
        return {"test": Size(1, len(self.tests), is_choice=True)}

    @cached_property
    def operands(self) -> dict[str, Array]:
        return {}

    @cached_property
    def structured(self) -> dict[str, Array]:
        return dict(self.inputs)

    @property
    def c_parameters(self) -> list[tuple[str, str]]:
        return [(_c_type(parameter), name) for name, parameter in self._parameters.items()]

    def argument(self, name: str, sizes: Mapping[str, int]) -> tuple[str, int]:
        return self._parameters[name].kind, self._tests[sizes["test"]].numbers[name]

    def structure_of(self, draw: Draw, family: str, sizes: Mapping[str, int]) -> Made:
        return {name: self._load(start_file(self.folder, sizes["test"], name)) for name in self.inputs}

    def start_contents(self, sizes: Mapping[str, int]) -> Made:
        undefined = self._tests[sizes["test"]].undefined
        kept = [name for name in self.outputs if name not in undefined]
        return {name: self._load(start_file(self.folder, sizes["test"], name)) for name in kept}

    def expected(self, inputs: Mapping[str, npt.NDArray[Any]], sizes: Mapping[str, int]) -> dict[str, Floats]:
        xp = module_of(next(iter(inputs.values()), None))
        return {
            name: xp.asarray(output.numbers(self._load(expected_file(self.folder, sizes["test"], name)))).astype(float)
            for name, output in self.outputs.items()
        }

    def untouched(self, sizes: Mapping[str, int]) -> Made:
        only_written = (name for name in self.outputs if self._parameters[name].direction == "out")
        files = {name: untouched(self.folder, sizes["test"], name) for name in only_written}
        return {name: self._load(file) for name, file in files.items() if file.is_file()}

    def missed(self, sizes: Mapping[str, int]) -> Made:
        files = {name: missed_file(self.folder, sizes["test"], name) for name in self.outputs}
        return {name: self._load(file) for name, file in files.items() if file.is_file()}

    def cost_of(self, sizes: Mapping[str, int]) -> Cost:
        return Cost(flops=0, bytes=self.array_bytes(sizes))

    def _load(self, file: Path) -> npt.NDArray[Any]:
        # Memory-mapped: several processes read parts of a large test.
        loaded: npt.NDArray[Any] = np.asarray(np.load(file, mmap_mode="r"))
        return loaded


def load_challenge(folder: Path) -> ChallengeProblem:
    """Loads the challenge whose tests were written into this folder."""
    return ChallengeProblem(read_manifest(folder), folder)


def _declared(parameter: Parameter, tests: tuple[Test, ...]) -> Array | Size:
    if parameter.kind != ARRAY:
        return Size(1, 1)
    shapes = {test.number: test.shapes[parameter.name] for test in tests}
    ranks = {len(shape) for shape in shapes.values()}
    # Only the rank is known beforehand, if all tests agree on it.
    dimensions = (1,) * ranks.pop() if len(ranks) == 1 else ()
    return TestArray(
        _dtype(parameter),
        dimensions,
        output=parameter.direction != "in",
        shapes=shapes,
    )


def _dtype(parameter: Parameter) -> DType:
    dtype = np.dtype(parameter.dtype)
    coded = CODED.get(parameter.coded)
    whole = dtype.kind in "iu" and coded is None
    limits = (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) if whole else None
    return DType(parameter.dtype, parameter.c_type, parameter.dtype, dtype.itemsize, limits, coded)


def _c_type(parameter: Parameter) -> str:
    if parameter.kind != ARRAY:
        return parameter.c_type
    return f"const {parameter.c_type}*" if parameter.direction == "in" else f"{parameter.c_type}*"
