"""Which tolerance gates a problem declares, and the families of inputs that these gates need.

The declaration alone: the arithmetic of the gates is in `check.tolerance`, the inputs are made in `inputs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from grader.errors import ProblemError

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "contraction": ("exact", "normal"),
    "total": ("exact", "normal"),
    "elementwise": ("normal", "wide", "special"),
    "exact": ("normal", "spread", "special"),
    "scaled": ("normal", "wide"),
    "stated": ("own",),
}
MORE_FAMILIES = ("offset",)
"""Families that a problem may ask for beside these."""


@dataclass(frozen=True)
class Gates:
    """How results of a problem are judged.

    `terms` has the sizes, or numbers, whose product is the number of terms that one output element sums. `signed_zeros`
    says whether -0 and +0 are different results. `independent` says whether the errors of different elements
    are: those of running totals are not. `families` are the families of inputs, `atol` and `rtol` a stated tolerance.
    """

    kind: str
    terms: tuple[str | int, ...] = ()
    signed_zeros: bool = False
    independent: bool = True
    families: tuple[str, ...] = ()
    atol: float = 0.0
    rtol: float = 0.0

    def __post_init__(self) -> None:
        if not self.families:
            object.__setattr__(self, "families", FAMILIES[self.kind])

    def count_terms(self, sizes: Mapping[str, int]) -> int:
        return prod(term if isinstance(term, int) else sizes[term] for term in self.terms)


Terms = str | int | tuple[str | int, ...]


def contraction(terms: Terms) -> Gates:
    """Sums of products of two arrays, linear in each: a matrix product, a dot product, a convolution."""
    return Gates("contraction", _names(terms))


def total(terms: Terms, independent: bool = True) -> Gates:
    """Sums of the elements of one array: a reduction, row sums.

    `independent=False` is for a prefix sum, where an element may take over the error of the one before.
    """
    return Gates("total", _names(terms), independent=independent)


def elementwise() -> Gates:
    """A formula of one element of each input, rounded more than once or with transcendental functions."""
    return Gates("elementwise")


def exact(signed_zeros: bool = True) -> Gates:
    """One correctly rounded operation, or a copy, a selection or a count: bit-exact.

    `signed_zeros=False` lets -0 stand for +0, for operations such as max(x, 0) that leave the sign open.
    """
    return Gates("exact", signed_zeros=signed_zeros)


def scaled(terms: Terms, families: tuple[str, ...] = FAMILIES["scaled"]) -> Gates:
    """A formula that is neither linear nor of one element: softmax, a norm, attention.

    The problem's `@problem.scale` gives what the error of each element is measured against. `terms` names the sizes
    of the sums in it; `families` may be of "normal", "wide" and "offset".
    """
    known = (*FAMILIES["scaled"], *MORE_FAMILIES)
    if not families or not set(families) <= set(known):
        raise ProblemError(f"gates: families={families!r} has to hold one or more of {', '.join(known)}")
    return Gates("scaled", _names(terms), families=tuple(families))


def stated(atol: float, rtol: float) -> Gates:
    """The tolerance of a problem that brings its own tests: |error| <= atol + rtol |expected|, element by element."""
    return Gates("stated", atol=atol, rtol=rtol)


def _names(terms: Terms) -> tuple[str | int, ...]:
    names = (terms,) if isinstance(terms, (str, int)) else tuple(terms)
    if not names or not all(isinstance(name, str) or (isinstance(name, int) and name >= 1) for name in names):
        raise ProblemError(f"terms={terms!r} has to be the name of a size, a number from 1 up, or a tuple of these")
    return names
