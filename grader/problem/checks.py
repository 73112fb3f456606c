"""Checks a problem's declaration without running anything: titles and names, parameters, gates.

Each mistake is a ProblemError that names the field. `trial` tests the functions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from grader.core.errors import ProblemError
from grader.problem.declaration import Declaration
from grader.problem.expressions import names_in
from grader.problem.gates import Gates
from grader.problem.parameters import Array, Computed, Scalar, Size

DIFFICULTIES = ("easy", "medium", "hard")


def check_declaration(problem: Declaration) -> None:
    """Raises ProblemError for the first mistake found."""
    _check_words(problem)
    _check_params(problem)
    _check_values(problem)
    _check_gates(problem)


def check_computed(problem: Declaration) -> None:
    """Raises ProblemError for a parameter of an unknown kind, and for an expression that is malformed or names
    anything but sizes.
    """
    for name, parameter in problem.params.items():
        if not isinstance(parameter, (Array, Size, Computed, Scalar)):
            raise ProblemError(
                f"params.{name}: {parameter!r} is none of array(...), out(...), size(low, high), choice(low, high), "
                "flag(), scalar(type, low, high), computed(expression)"
            )
    known = set(problem.sizes)
    for name, parameter in problem.params.items():
        if isinstance(parameter, Computed):
            _check_names(f"params.{name}", (parameter.expression,), known)
            known.add(name)
    for name, array in problem.params.items():
        if not isinstance(array, Array):
            continue
        _check_names(f"params.{name}: dimension", array.dimensions, known)
        ends = (array.values.low, array.values.high) if array.values else ()
        _check_names(f"params.{name}: values", ends, known)
    if isinstance(problem.gates, Gates):
        _check_names("gates: terms", problem.gates.terms, known)


def _check_names(field: str, expressions: Sequence[object], known: Collection[str]) -> None:
    for text in expressions:
        if not isinstance(text, str):
            continue
        try:
            names = names_in(text)
        except ProblemError as error:
            raise ProblemError(f"{field}: {error.message}", error.hint) from None
        for name in names:
            if name not in known:
                raise ProblemError(f"{field} names {name!r}, no size; sizes are {_list(sorted(known))}")


def _check_words(problem: Declaration) -> None:
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


def _check_params(problem: Declaration) -> None:
    for name in problem.params:
        if not _is_identifier(name) or name == "launch":
            raise ProblemError(f"params: {name!r} can't be a parameter's name; use a C identifier other than launch")
        if name in problem.constants:
            raise ProblemError(f"constants: {name} is a parameter too, which the submission's #define would replace")
    for kind, found in (("array", problem.inputs), ("out", problem.outputs), ("size", problem.sizes)):
        if not found:
            raise ProblemError(f"params: at least one {kind}(...) is needed")
    for name, size in problem.sizes.items():
        if size.is_choice:
            continue
        # Half of the cases have no size divisible by 16, so each size needs a value that is not divisible by 16.
        if size.low == size.high and size.low % 16 == 0:
            raise ProblemError(
                f"params.{name}: no edge size is possible, size({size.low}, {size.high}) allows only a "
                "multiple of 16 and a kernel without bounds checks would pass; widen the range"
            )


def _check_values(problem: Declaration) -> None:
    for name, size in problem.sizes.items():
        of = problem.sizes.get(size.index_of) if size.index_of else None
        if size.index_of and (of is None or not of.is_choice or of.high != size.high + 1):
            raise ProblemError(
                f"params.{name}: index({size.index_of!r}, {size.high + 1}) has to name a choice that ends at "
                f"{size.high + 1}"
            )
        if size.product_of and not (size.product_of in problem.sizes and problem.sizes[size.product_of].is_choice):
            raise ProblemError(f"params.{name}: product(of={size.product_of!r}) has to name a choice")


def _check_gates(problem: Declaration) -> None:
    gates = problem.gates
    if not isinstance(gates, Gates):
        raise ProblemError(
            f"gates: {gates!r} is none of contraction(terms=...), total(terms=...), elementwise(), exact(), "
            "scaled(terms=...)"
        )
    needed = {"contraction": 2, "total": 1}.get(gates.kind)
    if needed is not None and len(problem.operands) != needed:
        raise ProblemError(
            f"gates: {gates.kind} needs {needed} input array(s) of floats, params has {len(problem.operands)}"
        )


def _is_identifier(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None


def _list(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "nothing"
