"""Approximate functions, to the error bounds that the PTX ISA states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..exact import Array
from .rows import Close, Reference, Table, flat

ROWS = Table()
row = ROWS.row


def relative(bound: float) -> Close:
    """Relative error, or next to nothing where the result is subnormal (flushed by some of the hardware)."""
    return lambda got, want: (
        (np.abs(got - want) <= bound * np.abs(want)) | (np.abs(got - want) < 2.0**-125) | (got == want)
    )


def absolute(bound: float) -> Close:
    return lambda got, want: (np.abs(got - want) <= bound) | (got == want)


def double(function: Callable[..., Array]) -> Reference:
    def apply(*arrays: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(*(a.astype("f8") for a in arrays))

    return apply


def near_one_or_relative(got: Array, want: Array) -> Array:
    return absolute(2.0**-22)(got, want) | relative(2.0**-22)(got, want)


ULP = 2.0**-23
FUNCTIONS: dict[str, tuple[Callable[..., Array], Close]] = {
    "ex2": (np.exp2, relative(2 * ULP)),
    "lg2": (np.log2, near_one_or_relative),
    "rcp": (np.reciprocal, relative(ULP)),
    "sqrt": (np.sqrt, relative(ULP)),
    "rsqrt": (lambda a: 1 / np.sqrt(a), relative(2 * ULP)),
}


def within_a_turn(a: Array) -> Array:
    return np.abs(a) <= np.pi


def moderate(a: Array, b: Array) -> Array:
    """Where the approximate divisions state a bound."""
    return np.isfinite(a) & (np.abs(a) >= 2.0**-126) & (np.abs(b) >= 2.0**-126) & (np.abs(b) <= 2.0**126)


def after_flush(function: Reference) -> Reference:
    return lambda a: function(flat(a))


for base, (function, allowed) in FUNCTIONS.items():
    row(f"{base}.approx.f32", ("f32",), "f32", double(function), allowed=allowed)
    row(f"{base}.approx.ftz.f32", ("f32",), "f32", after_flush(double(function)), allowed=allowed)
for suffix in ("", ".ftz"):
    for base, function in (("sin", np.sin), ("cos", np.cos)):
        row(
            f"{base}.approx{suffix}.f32",
            ("f32",),
            "f32",
            double(function),
            allowed=absolute(2.0**-20.5),
            domain=within_a_turn,
        )
    for base in ("div.approx", "div.full"):
        row(
            f"{base}{suffix}.f32",
            ("f32", "f32"),
            "f32",
            double(np.divide),
            allowed=relative(2 * ULP),
            domain=moderate,
        )
row("tanh.approx.f32", ("f32",), "f32", double(np.tanh), allowed=relative(2.0**-11))
row("rcp.approx.ftz.f64", ("f64",), "f64", np.reciprocal, allowed=relative(2.0**-19),
    domain=lambda a: np.isfinite(a) & (np.abs(a) > 1e-290) & (np.abs(a) < 1e290))  # fmt: skip
row("rsqrt.approx.f64", ("f64",), "f64", lambda a: 1 / np.sqrt(a), allowed=relative(2.0**-19),
    domain=lambda a: np.isfinite(a) & (a > 1e-290))  # fmt: skip
row(
    "ex2.approx.f16",
    ("f16",),
    "f16",
    double(np.exp2),
    allowed=lambda g, w: relative(2.0**-9.9)(g, w) | absolute(2.0**-24)(g, w),
)
row("tanh.approx.f16", ("f16",), "f16", double(np.tanh), allowed=lambda g, w: absolute(2.0**-10.9)(g, w))
