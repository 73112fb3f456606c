"""Cases that each grading has beside the drawn ones: sizes and inputs that a draw reaches rarely or never.

A limit that a kernel only has where two sizes are large at once, or an array is longer than drawn ones, needs a case of
its own. Drawing is left to `sizes`, checking to `trial`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Always:
    """Sizes that are always tried, with this family of inputs; with one in turn if none is named."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    family: str = ""


def at(family: str = "", **sizes: int) -> Always:
    """A case for `always`, such as `at(N=4_194_305)` or `at("constant", N=1024, M=1024)`."""
    return Always(sizes, family)
