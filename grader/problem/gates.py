"""Declares a problem's tolerance gates and the input families that they need.

The arithmetic of the gates is in `check.tolerance`; the inputs are made in `inputs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from grader.core.errors import ProblemError
from grader.problem.expressions import inline, value_of

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "contraction": ("exact", "normal"),
    "total": ("exact", "normal"),
    "elementwise": ("normal", "wide", "special"),
    "exact": ("normal", "spread", "special", "constant"),
    "scaled": ("normal", "wide"),
    "stated": ("own",),
}
MORE_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "elementwise": ("overflow",),
    "exact": ("negative", "zeros", "peak", "comb", "nonfinite", "halves", "lowest", "highest", "deep", "hub", "apart"),
    "scaled": ("offset", "constant", "negative", "opposed", "small", "peak", "comb", "lowest", "highest"),
}
"""Families that a problem may request in addition; "deep", "hub" and "apart" only affect its structure."""


@dataclass(frozen=True)
class Gates:
    """How the results of a problem are judged.

    `terms` holds the sizes, expressions or numbers whose product is the number of terms that one output element sums.
    `signed_zeros` says whether -0 and +0 are different results; None leaves it to the operation. `independent` says
    whether the errors of different elements are independent; those of running totals are not. `families` are the
    input families; `atol` and `rtol` are a stated tolerance.
    """

    kind: str
    terms: tuple[str | int, ...] = ()
    signed_zeros: bool | None = False
    independent: bool = True
    families: tuple[str, ...] = ()
    atol: float = 0.0
    rtol: float = 0.0

    def __post_init__(self) -> None:
        if not self.families:
            object.__setattr__(self, "families", FAMILIES[self.kind])

    def count_terms(self, sizes: Mapping[str, int]) -> int:
        return prod(term if isinstance(term, int) else value_of(term, sizes) for term in self.terms)

    def inlined(self, computed: Mapping[str, str]) -> Gates:
        """The gates with the names of computed sizes replaced by their expressions."""
        return replace(self, terms=tuple(inline(t, computed) if isinstance(t, str) else t for t in self.terms))


Terms = str | int | tuple[str | int, ...]


def contraction(terms: Terms) -> Gates:
    """Sums of products of two arrays, linear in each: a matrix product, a dot product, a convolution."""
    return Gates("contraction", _names(terms))


def total(terms: Terms, independent: bool = True) -> Gates:
    """Sums of the elements of one array: a reduction, row sums.

    `independent=False` is for a prefix sum, where an element may inherit the error of the one before.
    """
    return Gates("total", _names(terms), independent=independent)


def elementwise(families: tuple[str, ...] = FAMILIES["elementwise"]) -> Gates:
    """A formula of one element of each input, rounded more than once or with transcendental functions.

    `families` are as for `exact`.
    """
    return Gates("elementwise", families=_known("elementwise", families))


def exact(signed_zeros: bool | None = None, families: tuple[str, ...] = FAMILIES["exact"]) -> Gates:
    """One correctly rounded operation, or a copy, a selection or a count: bit-exact.

    By default the sign of a zero follows the operation: a copy and a sum determine it, max(+0, -0) may give either.
    `signed_zeros=True` requires the reference's sign everywhere; False ignores signs, as for sorted elements.
    `families` are taken from `FAMILIES` and `MORE_FAMILIES`.
    """
    return Gates("exact", signed_zeros=signed_zeros, families=_known("exact", families))


def scaled(terms: Terms, families: tuple[str, ...] = FAMILIES["scaled"]) -> Gates:
    """A formula that is neither linear nor of one element: softmax, a norm, attention.

    `@problem.scale` gives the scale of each element's error. `terms` names the sizes of the sums in the formula;
    `families` are as for `exact`.
    """
    return Gates("scaled", _names(terms), families=_known("scaled", families))


def _known(kind: str, families: tuple[str, ...]) -> tuple[str, ...]:
    known = (*FAMILIES[kind], *MORE_FAMILIES[kind])
    if not families or not set(families) <= set(known):
        raise ProblemError(f"gates: families={families!r} has to hold one or more of {', '.join(known)}")
    return tuple(families)


def stated(atol: float, rtol: float) -> Gates:
    """The tolerance of a problem that brings its own tests: |error| <= atol + rtol |expected|, element by element."""
    return Gates("stated", atol=atol, rtol=rtol)


def _names(terms: Terms) -> tuple[str | int, ...]:
    names = (terms,) if isinstance(terms, (str, int)) else tuple(terms)
    if not names or not all(isinstance(name, str) or (isinstance(name, int) and name >= 1) for name in names):
        raise ProblemError(f"terms={terms!r} has to be the name of a size, a number from 1 up, or a tuple of these")
    return names
