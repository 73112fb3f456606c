"""The Problem object that a problem's `problem.py` builds: declaration, reference, harness and cost.

It makes the checks that need no run; `loader` reads the folder and `trial` tests the functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from grader.core.errors import ProblemError
from grader.problem.arrays import module_of
from grader.problem.checks import check_computed, check_declaration
from grader.problem.declaration import Declaration
from grader.problem.exchange import Floats as Floats
from grader.problem.exchange import read_only, shape_output
from grader.problem.expressions import value_of
from grader.problem.structure import Draw

_WORD = 2**64 - 1

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Cost:
    """The work of one case: floating-point operations, and the fewest bytes that any kernel has to move."""

    flops: int
    bytes: int


class Problem(Declaration):
    """One problem: its kernel's signature, size ranges, reference, harness, cost and gates.

    `always` holds the cases that each grading has beside the drawn ones: see `grader.problem.always`. `baseline` is the
    kernel that times are compared with: a file below the folder's `submissions/`, or a library call defined with
    `@problem.baseline`. Unless `races_are_fatal`, a data race is only a warning. `name`, `folder`, `statement`,
    `starter`, `editorial`, if there is one, and `definition`, the text of `problem.py`, are set when the folder is
    loaded. A challenge of a third-party problem set is a Problem too, with `tests` of its own: see
    `grader.problem.challenges`.
    """

    name: str = ""
    folder: Path = Path()
    definition: str = ""
    statement: str = ""
    starter: str = ""
    editorial: str | None = None
    tests: Mapping[int, bool] = {}
    """Whether the arrays of each test were written, by number from 1; empty for a problem with drawn sizes."""
    labels: Mapping[int, str] = {}
    """The names of the tests, by number."""
    cost_is_known: bool = True
    """Whether `cost_of` gives the work; without it, no share of the speed of light can be computed."""
    remarks: tuple[str, ...] = ()
    """Notes for readers of its reports."""

    def settle(self) -> None:
        """Raises ProblemError for the first mistake found."""
        self._functions: dict[str, Callable[..., Any]] = {}
        self._taken: dict[str, tuple[str, ...]] = {}
        """The parameters of each function that does not take any."""
        check_computed(self)
        super().settle()
        check_declaration(self)

    # The decorators.

    def reference(self, function: Function) -> Function:
        """Registers the float64 reference: takes inputs, sizes and scalars by name, returns the output or a dict."""
        return self._add("reference", function, self._numbers | set(self.inputs))

    def structure(self, function: Function) -> Function:
        """Registers the function that makes inputs that depend on each other, such as row offsets or strides.

        It takes `draw`, `family` and sizes by name, and returns a dict with every structured array: those declared as
        such, and i32 or i64 arrays without a range.
        """
        return self._add("structure", function, {"draw", "family", *self.sizes, *self.computed})

    def scale(self, function: Function) -> Function:
        """Registers the scale of errors under `scaled` gates: takes and returns what the reference does."""
        return self._add("scale", function, self._numbers | set(self.inputs))

    def solve(self, function: Function) -> Function:
        """Registers the harness: takes `launch`, then every parameter of the kernel by name."""
        return self._add("solve", function, {"launch", *self.params})

    def cost(self, function: Function) -> Function:
        """Registers the cost function: takes sizes by name, returns a Cost."""
        return self._add("cost", function, {*self.sizes, *self.computed})

    def baseline(self, function: Function) -> Function:
        """Registers a library call to compare times with: takes `library`, then any kernel parameters by name."""
        if self.baseline_file is not None:
            raise ProblemError(f"baseline: {self.baseline_file!r} is the baseline already; keep one of the two")
        return self._add("baseline", function, {"library", *self.params})

    # The functions, called.

    def expected(self, inputs: Mapping[str, npt.NDArray[Any]], sizes: Mapping[str, Any]) -> dict[str, Floats]:
        """The reference's outputs for these inputs, in the declared shapes and in float64 (int64 for i64).

        `sizes` includes the scalars. CuPy inputs give CuPy outputs. Raises ProblemError if the reference returns
        anything else.
        """
        return self._outputs_of("reference", inputs, sizes)

    def scales(self, inputs: Mapping[str, npt.NDArray[Any]], sizes: Mapping[str, Any]) -> dict[str, Floats]:
        """The scale of errors of every output, in the form of `expected`."""
        return self._outputs_of("scale", inputs, sizes)

    def structure_of(self, draw: Draw, family: str, sizes: Mapping[str, int]) -> dict[str, npt.NDArray[Any]]:
        """The inputs that `structure` makes. Raises ProblemError if their names or shapes are wrong."""
        returned = self._call("structure", {"draw": draw, "family": family, **self.with_computed(sizes)})
        if not isinstance(returned, Mapping) or set(returned) != set(self.structured):
            raise ProblemError(f"structure: return a dict with the arrays {_list(self.structured)}")
        made = {name: np.asarray(returned[name], dtype=a.dtype.numpy) for name, a in self.structured.items()}
        for name, array in self.structured.items():
            if made[name].shape != array.shape(sizes):
                raise ProblemError(f"structure: {name} has shape {made[name].shape}; declared are {array.shape(sizes)}")
        return made

    def run_harness(self, launch: object, values: Mapping[str, Any]) -> None:
        """Calls the harness; `values` holds a buffer handle, a size or a scalar for every parameter.

        A harness that takes `**parameters` gets them in the kernel's order.
        """
        known = self.with_computed(values)
        self._call("solve", {"launch": launch, **{name: known[name] for name in self.params}})

    @property
    def calls_library(self) -> bool:
        """Whether the baseline is a library call."""
        return "baseline" in self._functions

    def call_baseline(self, library: object, values: Mapping[str, Any]) -> None:
        """Calls `baseline`; `values` holds a buffer handle, a size or a scalar for every parameter."""
        self._call("baseline", {"library": library, **self.with_computed(values)})

    def cost_of(self, sizes: Mapping[str, int]) -> Cost:
        """The cost of one case. Raises ProblemError if `cost` returns no Cost."""
        cost = self._call("cost", self.with_computed(sizes))
        if not isinstance(cost, Cost):
            raise ProblemError(f"cost: returned {cost!r}; return Cost(flops=..., bytes=...)")
        return cost

    def with_computed(self, sizes: Mapping[str, Any]) -> dict[str, Any]:
        """Adds the computed parameters to the sizes (and scalars)."""
        return {**sizes, **{name: value_of(text, sizes) for name, text in self.computed.items()}}

    def argument(self, name: str, sizes: Mapping[str, Any]) -> tuple[str, int]:
        """The `kind` and `bits` of a by-value parameter, as in `plan.recording.Argument`."""
        if name in self.scalars:
            return self.scalars[name].register(sizes[name])
        return "int64", self.with_computed(sizes)[name] & _WORD

    def start_contents(self, sizes: Mapping[str, int]) -> dict[str, npt.NDArray[Any]]:
        """Initial contents of the outputs that are also read; the others are poisoned."""
        return {}

    def untouched(self, sizes: Mapping[str, int]) -> dict[str, npt.NDArray[np.bool_]]:
        """Masks of output elements that the reference does not write, so that a kernel need not either."""
        return {}

    def missed(self, sizes: Mapping[str, int]) -> dict[str, npt.NDArray[Any]]:
        """How far the reference itself is from the true results, where that exceeds a stated tolerance."""
        return {}

    def array_bytes(self, sizes: Mapping[str, int]) -> int:
        """Total bytes of all arrays of one case."""
        return sum(a.nbytes(sizes) for a in {**self.inputs, **self.outputs}.values())

    @property
    def missing_functions(self) -> tuple[str, ...]:
        needed = ["reference", "solve", "cost"]
        needed += ["scale"] if self.gates.kind == "scaled" else []
        needed += ["structure"] if self.structured else []
        return tuple(name for name in needed if name not in self._functions)

    @property
    def _numbers(self) -> set[str]:
        """Names of the by-value parameters."""
        return {*self.sizes, *self.computed, *self.scalars}

    def _outputs_of(
        self, role: str, inputs: Mapping[str, npt.NDArray[Any]], sizes: Mapping[str, Any]
    ) -> dict[str, Floats]:
        xp = module_of(inputs[next(iter(self.inputs))])
        given: dict[str, Any] = {name: read_only(xp, a.numbers(inputs[name])) for name, a in self.inputs.items()}
        # Infinity, NaN and underflow are results like any other; the masks are compared later.
        with np.errstate(all="ignore"):
            returned = self._call(role, {**given, **self.with_computed(sizes)})
        if not isinstance(returned, Mapping):
            if len(self.outputs) != 1:
                raise ProblemError(f"{role}: return a dict with the arrays {', '.join(self.outputs)}")
            returned = {next(iter(self.outputs)): returned}
        if set(returned) != set(self.outputs):
            raise ProblemError(f"{role}: returned {_list(returned)}; the outputs are {_list(self.outputs)}")
        return {name: shape_output(xp, role, name, returned[name], a, sizes) for name, a in self.outputs.items()}

    def _add(self, role: str, function: Function, allowed: set[str]) -> Function:
        parameters = inspect.signature(function).parameters.values()
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if parameter.name not in allowed and parameter.default is parameter.empty:
                raise ProblemError(
                    f"{role}: parameter {parameter.name!r} is unknown; it can take {_list(sorted(allowed))}"
                )
        self._functions[role] = function
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            self._taken[role] = tuple(parameter.name for parameter in parameters)
        return function

    def _call(self, role: str, values: Mapping[str, object]) -> object:
        function = self._functions[role]
        names = self._taken.get(role)
        if names is None:
            return function(**values)
        return function(**{name: values[name] for name in names if name in values})


def _list(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "nothing"
