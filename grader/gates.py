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
}


@dataclass(frozen=True)
class Gates:
    """How results of a problem are judged.

    `terms` names the sizes whose product is the number of terms that one output element sums. `signed_zeros`
    says whether -0 and +0 are different results. `independent` says whether the errors of different elements
    are: those of running totals are not.
    """

    kind: str
    terms: tuple[str, ...] = ()
    signed_zeros: bool = False
    independent: bool = True

    @property
    def families(self) -> tuple[str, ...]:
        return FAMILIES[self.kind]

    def count_terms(self, sizes: Mapping[str, int]) -> int:
        return prod(sizes[name] for name in self.terms)


Terms = str | tuple[str, ...]


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
    """One correctly rounded operation, or a copy or selection: bit-exact.

    `signed_zeros=False` lets -0 stand for +0, for operations such as max(x, 0) that leave the sign open.
    """
    return Gates("exact", signed_zeros=signed_zeros)


def _names(terms: Terms) -> tuple[str, ...]:
    names = (terms,) if isinstance(terms, str) else tuple(terms)
    if not names or not all(isinstance(name, str) for name in names):
        raise ProblemError(f"terms={terms!r} has to be the name of a size, or a tuple of names")
    return names
