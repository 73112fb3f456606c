"""The Problem object that a problem's `problem.py` builds: declaration, reference, harness and cost.

It checks what can be seen without running anything; `problem_loader` reads the folder and `problem_trial`
tries the functions.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from grader.arrays import module_of, widen
from grader.errors import ProblemError
from grader.gates import Gates
from grader.parameters import Array, Parameter, Size

DIFFICULTIES = ("easy", "medium", "hard")

Floats = npt.NDArray[np.float64]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Cost:
    """The work of one case: floating-point operations, and the least bytes that any kernel has to move."""

    flops: int
    bytes: int


def ceil_div(a: int, b: int) -> int:
    """a / b rounded up: how many blocks of b cover a elements."""
    return -(-a // b)


class Problem:
    """One problem: its kernel's signature, size ranges, reference, harness, cost and gates.

    `baseline` is what times are compared with: a file below the folder's `submissions/`; where it is a library
    call instead, `@problem.baseline` names it. `name`, `folder`, `statement` and `starter` are set when the
    folder is loaded.
    """

    name: str = ""
    folder: Path = Path()
    statement: str = ""
    starter: str = ""

    def __init__(
        self,
        *,
        title: str,
        difficulty: str,
        kernel: str,
        params: Mapping[str, Parameter],
        gates: Gates,
        tags: Sequence[str] = (),
        constants: Mapping[str, int] | None = None,
        benchmarks: Sequence[Mapping[str, int]] = (),
        baseline: str | None = None,
    ) -> None:
        self.title = title
        self.difficulty = difficulty
        self.tags = (tags,) if isinstance(tags, str) else tuple(tags)
        self.kernel = kernel
        self.params = dict(params)
        self.constants = dict(constants or {})
        self.gates = gates
        self.benchmarks = tuple(dict(sizes) for sizes in benchmarks)
        self.baseline_file = baseline
        self._functions: dict[str, Callable[..., Any]] = {}
        _check_words(self)
        _check_params(self)
        _check_gates(self)

    @cached_property
    def inputs(self) -> dict[str, Array]:
        return {n: p for n, p in self.params.items() if isinstance(p, Array) and not p.output}

    @cached_property
    def outputs(self) -> dict[str, Array]:
        return {n: p for n, p in self.params.items() if isinstance(p, Array) and p.output}

    @cached_property
    def sizes(self) -> dict[str, Size]:
        return {n: p for n, p in self.params.items() if isinstance(p, Size)}

    @property
    def c_parameters(self) -> list[tuple[str, str]]:
        """The kernel's parameters in order, as (C type, name)."""
        return [(parameter.c_type, name) for name, parameter in self.params.items()]

    @property
    def signature(self) -> str:
        """The kernel's name and parameter list as C text."""
        return f"{self.kernel}({', '.join(f'{c_type} {name}' for c_type, name in self.c_parameters)})"

    # The decorators.

    def reference(self, function: Function) -> Function:
        """Names the float64 reference: takes inputs and sizes by name, returns the output, or a dict."""
        return self._add("reference", function, {*self.inputs, *self.sizes})

    def solve(self, function: Function) -> Function:
        """Names the harness: takes `launch`, then every parameter of the kernel by name."""
        return self._add("solve", function, {"launch", *self.params})

    def cost(self, function: Function) -> Function:
        """Names the cost: takes sizes by name, returns a Cost."""
        return self._add("cost", function, set(self.sizes))

    def baseline(self, function: Function) -> Function:
        """Names a library call to compare times with: takes `library`, then any parameters of the kernel by name."""
        if self.baseline_file is not None:
            raise ProblemError(f"baseline: {self.baseline_file!r} is the baseline already; keep one of the two")
        return self._add("baseline", function, {"library", *self.params})

    # The functions, called.

    def expected(self, inputs: Mapping[str, npt.NDArray[Any]], sizes: Mapping[str, int]) -> dict[str, Floats]:
        """The reference's outputs for these inputs, in float64 and in the declared shapes.

        Arrays of CuPy give arrays of CuPy. Raises ProblemError where the reference returns something else.
        """
        xp = module_of(inputs[next(iter(self.inputs))])
        given: dict[str, Any] = {name: _read_only(xp, inputs[name]) for name in self.inputs}
        # Infinity, NaN and underflow are results like any other; the masks are compared later.
        with np.errstate(all="ignore"):
            returned = self._call("reference", {**given, **sizes})
        if not isinstance(returned, Mapping):
            if len(self.outputs) != 1:
                raise ProblemError(f"reference: return a dict with the arrays {', '.join(self.outputs)}")
            returned = {next(iter(self.outputs)): returned}
        if set(returned) != set(self.outputs):
            raise ProblemError(f"reference: returned {_list(returned)}; the outputs are {_list(self.outputs)}")
        return {name: _shaped(xp, name, returned[name], a.shape(sizes)) for name, a in self.outputs.items()}

    def run_harness(self, launch: object, values: Mapping[str, object]) -> None:
        """Calls the harness; `values` holds a buffer handle or a size for every parameter."""
        self._call("solve", {"launch": launch, **values})

    @property
    def calls_library(self) -> bool:
        """Whether the baseline is a library call."""
        return "baseline" in self._functions

    def call_baseline(self, library: object, values: Mapping[str, object]) -> None:
        """Calls `baseline`; `values` holds a buffer handle or a size for every parameter."""
        self._call("baseline", {"library": library, **values})

    def cost_of(self, sizes: Mapping[str, int]) -> Cost:
        """The cost of one case. Raises ProblemError where `cost` returns no Cost."""
        cost = self._call("cost", sizes)
        if not isinstance(cost, Cost):
            raise ProblemError(f"cost: returned {cost!r}; return Cost(flops=..., bytes=...)")
        return cost

    def array_bytes(self, sizes: Mapping[str, int]) -> int:
        """Bytes of all arrays of one case."""
        return sum(a.nbytes(sizes) for a in {**self.inputs, **self.outputs}.values())

    @property
    def missing_functions(self) -> tuple[str, ...]:
        return tuple(name for name in ("reference", "solve", "cost") if name not in self._functions)

    def _add(self, role: str, function: Function, allowed: set[str]) -> Function:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if parameter.name not in allowed and parameter.default is parameter.empty:
                raise ProblemError(
                    f"{role}: parameter {parameter.name!r} is unknown; it can take {_list(sorted(allowed))}"
                )
        self._functions[role] = function
        return function

    def _call(self, role: str, values: Mapping[str, object]) -> object:
        function = self._functions[role]
        parameters = inspect.signature(function).parameters.values()
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return function(**values)
        return function(**{p.name: values[p.name] for p in parameters if p.name in values})


def _read_only(xp: Any, values: npt.NDArray[Any]) -> Floats:
    """The values in float64, safe from a reference that works in place."""
    if xp is not np:
        # CuPy knows no read-only arrays.
        copy: Floats = widen(values)
        return copy
    view: Floats = np.asarray(values, dtype=np.float64).view()
    view.flags.writeable = False
    return view


def _shaped(xp: Any, name: str, value: object, shape: tuple[int, ...]) -> Floats:
    result: Floats = xp.asarray(value, dtype=np.float64)
    # A sum over everything is a scalar in NumPy, and an array of one element in the kernel.
    if result.shape != shape and not (result.size == 1 and all(d == 1 for d in shape)):
        raise ProblemError(f"reference: {name} has shape {result.shape}; declared are {shape}")
    return result.reshape(shape)


def _list(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "nothing"


def _check_words(problem: Problem) -> None:
    if not isinstance(problem.title, str) or not problem.title.strip():
        raise ProblemError(f"title: {problem.title!r} is not a title; give the problem's name in words")
    if problem.difficulty not in DIFFICULTIES:
        raise ProblemError(f"difficulty: {problem.difficulty!r} is none of {', '.join(DIFFICULTIES)}")
    if not all(isinstance(tag, str) for tag in problem.tags):
        raise ProblemError(f"tags: {problem.tags!r} has to hold strings only")
    if not _is_identifier(problem.kernel):
        raise ProblemError(f"kernel: {problem.kernel!r} is not a C identifier")
    for name, value in problem.constants.items():
        if not _is_identifier(name):
            raise ProblemError(f"constants: {name!r} is not a C identifier")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ProblemError(f"constants.{name}: {value!r} is not a whole number from 1 up")


def _check_params(problem: Problem) -> None:
    for name, parameter in problem.params.items():
        if not _is_identifier(name) or name == "launch":
            raise ProblemError(f"params: {name!r} can't be a parameter's name; use a C identifier other than launch")
        if not isinstance(parameter, (Array, Size)):
            raise ProblemError(f"params.{name}: {parameter!r} is none of array(...), out(...), size(low, high)")
    for name, parameter in problem.params.items():
        for dimension in parameter.dimensions if isinstance(parameter, Array) else ():
            if isinstance(dimension, str) and dimension not in problem.sizes:
                raise ProblemError(
                    f"params.{name}: dimension {dimension!r} is no size; sizes are {_list(problem.sizes)}"
                )
    for kind, found in (("array", problem.inputs), ("out", problem.outputs), ("size", problem.sizes)):
        if not found:
            raise ProblemError(f"params: at least one {kind}(...) is needed")
    for name, size in problem.sizes.items():
        # Half of the cases have no size divisible by 16, so each size needs a value that is not.
        if size.low == size.high and size.low % 16 == 0:
            raise ProblemError(
                f"params.{name}: no edge size is possible, size({size.low}, {size.high}) allows only a "
                "multiple of 16 and a kernel without bounds checks would pass; widen the range"
            )


def _check_gates(problem: Problem) -> None:
    gates = problem.gates
    if not isinstance(gates, Gates):
        raise ProblemError(
            f"gates: {gates!r} is none of contraction(terms=...), total(terms=...), elementwise(), exact()"
        )
    for name in gates.terms:
        if name not in problem.sizes:
            raise ProblemError(f"gates: terms {name!r} is no size; sizes are {_list(problem.sizes)}")
    needed = {"contraction": 2, "total": 1}.get(gates.kind)
    if needed is not None and len(problem.inputs) != needed:
        raise ProblemError(f"gates: {gates.kind} needs {needed} input array(s), params has {len(problem.inputs)}")


def _is_identifier(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None
