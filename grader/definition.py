"""The Problem object that a problem's `problem.py` builds: declaration, reference, harness and cost.

It checks what can be seen without running anything; `problem_loader` reads the folder and `problem_trial`
tries the functions.
"""

from __future__ import annotations

import inspect
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
from grader.parameters import Array, Parameter, Size, f16, i8, i32
from grader.problem_checks import check_declaration
from grader.structure import Draw

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
    call instead, `@problem.baseline` names it. Where `races_are_fatal` is not set, a data race is a warning. `name`,
    `folder`, `statement` and `starter` are set when the folder is loaded.

    A challenge of somebody else's problem set is one too, with `tests` of its own: see `grader.challenges`.
    """

    name: str = ""
    folder: Path = Path()
    statement: str = ""
    starter: str = ""
    tests: Mapping[int, bool] = {}
    """Tests that stand in for drawn sizes, by number from 1, and whether their arrays are here. Others have none."""
    labels: Mapping[int, str] = {}
    """What the tests are called."""
    cost_is_known: bool = True
    """Whether `cost_of` tells the work, without which no share of the speed of light is known."""
    remarks: tuple[str, ...] = ()
    """What a reader of any report should know."""

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
        races_are_fatal: bool = True,
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
        self.races_are_fatal = races_are_fatal
        self._functions: dict[str, Callable[..., Any]] = {}
        check_declaration(self)

    @cached_property
    def inputs(self) -> dict[str, Array]:
        return {n: p for n, p in self.params.items() if isinstance(p, Array) and not p.output}

    @cached_property
    def outputs(self) -> dict[str, Array]:
        return {n: p for n, p in self.params.items() if isinstance(p, Array) and p.output}

    @cached_property
    def sizes(self) -> dict[str, Size]:
        return {n: p for n, p in self.params.items() if isinstance(p, Size)}

    @cached_property
    def operands(self) -> dict[str, Array]:
        """The inputs that the arithmetic of the gates is about: arrays of floats whose values no range bounds."""
        return {n: a for n, a in self.inputs.items() if not a.dtype.whole and a.values is None}

    @cached_property
    def structured(self) -> dict[str, Array]:
        """The inputs that `@problem.structure` makes: i32 arrays without a range."""
        return {n: a for n, a in self.inputs.items() if a.dtype is i32 and a.values is None}

    @property
    def precision(self) -> str:
        """In which numbers a GPU may compute it at best: "fp32", "fp16" or "int8"."""
        types = {array.dtype for array in self.inputs.values()}
        return "int8" if i8 in types else "fp16" if f16 in types else "fp32"

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

    def structure(self, function: Function) -> Function:
        """Names what makes the inputs that belong together, such as row offsets or shapes and strides.

        It takes `draw`, and sizes and `family` by name, and returns a dict with every i32 array that has no range.
        """
        return self._add("structure", function, {"draw", "family", *self.sizes})

    def scale(self, function: Function) -> Function:
        """Names what errors are measured against under `scaled` gates: takes and returns what the reference does."""
        return self._add("scale", function, {*self.inputs, *self.sizes})

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
        return self._outputs_of("reference", inputs, sizes)

    def scales(self, inputs: Mapping[str, npt.NDArray[Any]], sizes: Mapping[str, int]) -> dict[str, Floats]:
        """What errors are measured against, for every output, as `expected` gives results."""
        return self._outputs_of("scale", inputs, sizes)

    def structure_of(self, draw: Draw, family: str, sizes: Mapping[str, int]) -> dict[str, npt.NDArray[Any]]:
        """The inputs that `structure` makes. Raises ProblemError where it returns others."""
        returned = self._call("structure", {"draw": draw, "family": family, **sizes})
        if not isinstance(returned, Mapping) or set(returned) != set(self.structured):
            raise ProblemError(f"structure: return a dict with the arrays {_list(self.structured)}")
        made = {name: np.asarray(returned[name], dtype=a.dtype.numpy) for name, a in self.structured.items()}
        for name, array in self.structured.items():
            if made[name].shape != array.shape(sizes):
                raise ProblemError(f"structure: {name} has shape {made[name].shape}; declared are {array.shape(sizes)}")
        return made

    def run_harness(self, launch: object, values: Mapping[str, object]) -> None:
        """Calls the harness; `values` holds a buffer handle or a size for every parameter.

        One that takes them as `**parameters` gets them in the kernel's order.
        """
        self._call("solve", {"launch": launch, **{name: values[name] for name in self.params}})

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

    def argument(self, name: str, sizes: Mapping[str, int]) -> tuple[str, int]:
        """The kind of register and the bits of a parameter that is no array, as `plan.recording.Argument` has them."""
        return "int64", sizes[name]

    def start_contents(self, sizes: Mapping[str, int]) -> dict[str, npt.NDArray[Any]]:
        """What those outputs hold at first that are read as well; the others are poisoned."""
        return {}

    def untouched(self, sizes: Mapping[str, int]) -> dict[str, npt.NDArray[np.bool_]]:
        """Elements of outputs that the reference does not write, so that none has to be."""
        return {}

    def array_bytes(self, sizes: Mapping[str, int]) -> int:
        """Bytes of all arrays of one case."""
        return sum(a.nbytes(sizes) for a in {**self.inputs, **self.outputs}.values())

    @property
    def missing_functions(self) -> tuple[str, ...]:
        needed = ["reference", "solve", "cost"]
        needed += ["scale"] if self.gates.kind == "scaled" else []
        needed += ["structure"] if self.structured else []
        return tuple(name for name in needed if name not in self._functions)

    def _outputs_of(
        self, role: str, inputs: Mapping[str, npt.NDArray[Any]], sizes: Mapping[str, int]
    ) -> dict[str, Floats]:
        xp = module_of(inputs[next(iter(self.inputs))])
        given: dict[str, Any] = {name: _read_only(xp, inputs[name]) for name in self.inputs}
        # Infinity, NaN and underflow are results like any other; the masks are compared later.
        with np.errstate(all="ignore"):
            returned = self._call(role, {**given, **sizes})
        if not isinstance(returned, Mapping):
            if len(self.outputs) != 1:
                raise ProblemError(f"{role}: return a dict with the arrays {', '.join(self.outputs)}")
            returned = {next(iter(self.outputs)): returned}
        if set(returned) != set(self.outputs):
            raise ProblemError(f"{role}: returned {_list(returned)}; the outputs are {_list(self.outputs)}")
        return {name: _shaped(xp, role, name, returned[name], a.shape(sizes)) for name, a in self.outputs.items()}

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
    """The values in float64, whole numbers in int64, safe from a reference that works in place."""
    whole = values.dtype.kind in "iu"
    if xp is not np:
        # CuPy knows no read-only arrays.
        copy: Floats = values.astype(np.int64) if whole else widen(values)
        return copy
    view: Floats = np.asarray(values, dtype=np.int64 if whole else np.float64).view()
    view.flags.writeable = False
    return view


def _shaped(xp: Any, role: str, name: str, value: object, shape: tuple[int, ...]) -> Floats:
    result: Floats = xp.asarray(value, dtype=np.float64)
    # A sum over everything is a scalar in NumPy, and an array of one element in the kernel.
    if result.shape != shape and not (result.size == 1 and all(d == 1 for d in shape)):
        raise ProblemError(f"{role}: {name} has shape {result.shape}; declared are {shape}")
    return result.reshape(shape)


def _list(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "nothing"
