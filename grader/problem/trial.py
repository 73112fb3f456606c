"""Tests a problem's reference, harness and cost on tiny sizes, so that mistakes show when it is loaded.

Nothing is compiled or launched: the harness only plans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from grader.core.errors import ProblemError, UsageError
from grader.problem.always import Always
from grader.problem.arrays import widen
from grader.problem.definition import Cost, Problem
from grader.problem.harness import Buffer, LaunchRefused, build_plan
from grader.problem.inputs import draw_scalars, families, make_inputs
from grader.problem.parameters import DType
from grader.problem.room import with_room, without_room
from grader.problem.sizes import Budget, check_sizes
from grader.problem.vendor_library import Library

_T = TypeVar("_T")

SUBMISSIONS = "submissions"
MOST_ALWAYS = Budget(flops=100_000_000, bytes=60_000_000)
"""What a case that is always tried may cost: several times a drawn one, so about a second on the emulator."""
TINY = (3, 5, 7, 11, 13, 17)
TIMED = "normal"
"""The input family used for timing; its scalars come from anywhere in their range."""


def try_problem(problem: Problem) -> None:
    """Raises ProblemError, naming the field, for the first mistake found."""
    _try_shapes(problem)
    sizes = _tiny_sizes(problem)
    _try_values(problem, sizes)
    _try_cost(problem)
    for family in families(problem):
        _try_family(problem, sizes, family)
    if problem.gates.kind in ("contraction", "total"):
        _try_linear(problem, sizes)
        _try_exact(problem, sizes)
    _try_harness(problem, sizes)
    _try_baseline(problem, sizes)
    for i, benchmark in enumerate(problem.benchmarks):
        _try_benchmark(problem, f"benchmarks[{i}]", benchmark)
    for i in range(len(problem.always)):
        _try_always(problem, i)


def _tiny_sizes(problem: Problem) -> dict[str, int]:
    """Small sizes, all different if the ranges allow it: equal ones would hide a transposed result."""
    tiny = {
        name: size.low if size.index_of else min(max(TINY[i % len(TINY)], size.low), size.high)
        for i, (name, size) in enumerate(problem.sizes.items())
    }
    return with_room(problem, tiny)


def _try_shapes(problem: Problem) -> None:
    smallest = {name: size.low for name, size in problem.sizes.items()}
    found = without_room(problem, smallest)
    if found is not None:
        name, dimension, length = found
        raise ProblemError(
            f"params.{name}: dimension {dimension} is {length} with the smallest sizes {smallest}",
            "raise the low ends of the sizes that it grows with",
        )


def _try_values(problem: Problem, tiny: Mapping[str, int]) -> None:
    """Checks that the ranges of inputs fit their types, with small sizes and with large ones."""
    ends = [{name: getattr(size, end) for name, size in problem.sizes.items()} for end in ("low", "high")]
    for name, array in problem.inputs.items():
        for sizes in (tiny, *ends) if array.values is not None else ():
            assert array.values is not None
            low, high = array.values.ends(sizes)
            least, most = _range_of(array.dtype)
            if array.dtype.whole and not array.values.whole:
                raise ProblemError(
                    f"params.{name}: {array.dtype.name} holds whole numbers only", "take integers(low, high)"
                )
            if not least <= low <= high <= most:
                raise ProblemError(
                    f"params.{name}: values from {low} to {high} with {dict(sizes)}; {array.dtype.name} holds those "
                    f"from {least} to {most}, and the first has to be the smaller one"
                )


def _range_of(dtype: DType) -> tuple[float, float]:
    if dtype.limits is not None:
        return dtype.limits
    if dtype.coded is None:
        most = float(np.finfo(dtype.numpy).max)
    else:
        most = float(dtype.coded.decode(np.array([dtype.coded.largest], dtype.coded.numpy))[0])
    return -most, most


def _try_family(problem: Problem, sizes: Mapping[str, int], family: str) -> None:
    inputs = _guarded("structure", lambda: make_inputs(problem, sizes, family, seed=1))
    numbers = {**sizes, **draw_scalars(problem, family, seed=1)}
    first, second = (_guarded("reference", lambda: problem.expected(inputs, numbers)) for _ in range(2))
    for name, result in first.items():
        if not np.array_equal(result, second[name], equal_nan=True):
            raise ProblemError(f"reference: {name} differs between two calls with the same inputs")
        if np.isnan(result).all():
            raise ProblemError(f"reference: all of {name} is NaN with {family} inputs, so that nothing can be compared")
        limits = problem.outputs[name].dtype.limits
        if limits is not None and not (limits[0] <= np.rint(result.min()) and np.rint(result.max()) <= limits[1]):
            raise ProblemError(
                f"reference: {name} goes from {result.min():g} to {result.max():g} with {family} inputs; "
                f"{problem.outputs[name].dtype.name} holds {limits[0]} to {limits[1]}"
            )
    if problem.gates.kind == "scaled":
        for name, scale in _guarded("scale", lambda: problem.scales(inputs, numbers)).items():
            if not (np.isfinite(scale).all() and (scale >= 0).all()):
                raise ProblemError(
                    f"scale: {name} has what is no size of an error; all have to be finite and 0 or more"
                )


def _guarded(field: str, action: Callable[[], _T]) -> _T:
    try:
        return action()
    except ProblemError:
        raise
    except Exception as error:
        raise ProblemError(f"{field}: {type(error).__name__}: {error}") from error


def _try_linear(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Checks that the reference is linear in each operand: only then is reference(|inputs|) a bound for sums."""
    first = make_inputs(problem, sizes, "normal", seed=2)
    other = make_inputs(problem, sizes, "normal", seed=3)
    numbers = {**sizes, **draw_scalars(problem, "normal", seed=2)}
    # Other inputs, such as indices, stay as they are: adding them makes no sense.
    other = {**other, **{name: values for name, values in first.items() if name not in problem.operands}}
    for name in problem.operands:
        numbers_of = problem.inputs[name].numbers
        with_sum: dict[str, Any] = {**first, name: widen(numbers_of(first[name])) + numbers_of(other[name])}
        whole = problem.expected(with_sum, numbers)
        one = problem.expected(first, numbers)
        two = problem.expected({**first, name: other[name]}, numbers)
        for output in problem.outputs:
            if not np.allclose(whole[output], one[output] + two[output], rtol=1e-9, atol=1e-9):
                raise ProblemError(
                    f"gates: {problem.gates.kind}(...) is for sums, but the reference is not linear in "
                    f"{name}; use elementwise() or exact()"
                )


def _try_exact(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Checks that the exact family's results are float32 numbers, which bit-exact comparison relies on."""
    inputs = make_inputs(problem, sizes, "exact", seed=4)
    for name, result in problem.expected(inputs, {**sizes, **draw_scalars(problem, "exact", seed=4)}).items():
        if not np.array_equal(result, result.astype(np.float32)):
            raise ProblemError(
                f"gates: {problem.gates.kind}(...) is for plain sums of products, but {name} is scaled or "
                "rounded in the reference, so no bit-exact result is defined"
            )


def _try_cost(problem: Problem) -> None:
    smallest = {name: size.low for name, size in problem.sizes.items()}
    cost = _guarded("cost", lambda: problem.cost_of(smallest))
    assert isinstance(cost, Cost)
    for field, value in (("flops", cost.flops), ("bytes", cost.bytes)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ProblemError(f"cost: {field} is {value!r}; a whole number from 0 up is needed")
    if not Budget().allows(problem, smallest):
        raise ProblemError(
            f"params: the smallest sizes {smallest} already need {cost.flops} flops and "
            f"{problem.array_bytes(smallest)} bytes, more than the emulator's {Budget()}; lower the ranges"
        )


def _try_benchmark(problem: Problem, field: str, sizes: Mapping[str, int]) -> None:
    try:
        check_sizes(problem, sizes)
    except UsageError as error:
        raise ProblemError(f"{field}: {error.message}") from error


def _try_always(problem: Problem, number: int) -> None:
    name = f"always[{number}]"
    case = problem.always[number]
    if not isinstance(case, Always):
        raise ProblemError(f"{name}: {case!r} is no case; write at(N=4097), or at('constant', N=4097)")
    try:
        check_sizes(problem, case.sizes)
    except UsageError as error:
        raise ProblemError(f"{name}: {error.message}") from error
    if case.family and case.family not in problem.gates.families:
        raise ProblemError(
            f"{name}: there is no family of inputs {case.family!r}; gates has {', '.join(problem.gates.families)}"
        )
    if not MOST_ALWAYS.allows(problem, case.sizes):
        flops, size = problem.cost_of(case.sizes).flops, problem.array_bytes(case.sizes)
        raise ProblemError(
            f"{name}: {flops:,} operations on {size:,} bytes are too many for each grading; "
            f"up to {MOST_ALWAYS.flops:,} and {MOST_ALWAYS.bytes:,} are possible",
            "take smaller sizes",
        )


def _try_baseline(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Calls a library baseline with a dummy library, or checks that the baseline's file exists."""
    file = problem.baseline_file
    if file is not None and not (isinstance(file, str) and (problem.folder / SUBMISSIONS / file).is_file()):
        raise ProblemError(
            f"baseline: there is no {SUBMISSIONS}/{file} in the folder", "name a worked one, as accepted/1_simple.cu"
        )
    if problem.calls_library:
        arrays = {**problem.inputs, **problem.outputs}
        buffers = {name: Buffer(name, 0, a.shape(sizes), a.dtype) for name, a in arrays.items()}
        library, numbers = Library(lambda *arguments: None), {**sizes, **draw_scalars(problem, TIMED, seed=1)}
        _guarded("baseline", lambda: problem.call_baseline(library, {**buffers, **numbers}))


def _try_harness(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Lets the harness plan its launches on dummy addresses."""
    arrays = [*problem.inputs, *problem.outputs]
    addresses = {name: (number + 1) << 32 for number, name in enumerate(arrays)}
    try:
        build_plan(problem, problem.constants, {**sizes, **draw_scalars(problem, TIMED, seed=1)}, addresses)
    except LaunchRefused as refusal:
        raise ProblemError(f"solve: {refusal.message}", "correct the harness or its constants") from refusal
