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
    return lambda got, want: (np.abs(got - want) <= bound * np.abs(want)) | (np.abs(got - want) < 2.0**-125) | (got == want)


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
for suffix in ("", ".ftz"):
    function = flat if suffix else (lambda a: a)
    finite_normal = lambda a: np.isfinite(a) & (np.abs(a) >= 2.0**-126)  # noqa: E731
    for base, reference, allowed in (
        ("ex2.approx", np.exp2, relative(2 * ULP)),
        ("lg2.approx", np.log2, near_one_or_relative),
        ("rcp.approx", np.reciprocal, relative(ULP)),
        ("sqrt.approx", np.sqrt, relative(ULP)),
        ("rsqrt.approx", lambda a: 1 / np.sqrt(a), relative(2 * ULP)),
    ):
        row(f"{base}{suffix}.f32", ("f32",), "f32", lambda a, f=double(reference), g=function: f(g(a)), allowed=allowed)
    for base, reference in (("sin.approx", np.sin), ("cos.approx", np.cos)):
        row(f"{base}{suffix}.f32", ("f32",), "f32", double(reference), allowed=absolute(2.0**-20.5),
            domain=lambda a: np.abs(a) <= np.pi)  # fmt: skip
    row(f"div.approx{suffix}.f32", ("f32", "f32"), "f32", double(np.divide), allowed=relative(2 * ULP),
        domain=lambda a, b: finite_normal(a) & (np.abs(b) >= 2.0**-126) & (np.abs(b) <= 2.0**126))  # fmt: skip
    row(f"div.full{suffix}.f32", ("f32", "f32"), "f32", double(np.divide), allowed=relative(2 * ULP),
        domain=lambda a, b: finite_normal(a) & (np.abs(b) >= 2.0**-126) & (np.abs(b) <= 2.0**126))  # fmt: skip
row("tanh.approx.f32", ("f32",), "f32", double(np.tanh), allowed=relative(2.0**-11))
row("rcp.approx.ftz.f64", ("f64",), "f64", np.reciprocal, allowed=relative(2.0**-19),
    domain=lambda a: np.isfinite(a) & (np.abs(a) > 1e-290) & (np.abs(a) < 1e290))  # fmt: skip
row("rsqrt.approx.f64", ("f64",), "f64", lambda a: 1 / np.sqrt(a), allowed=relative(2.0**-19),
    domain=lambda a: np.isfinite(a) & (a > 1e-290))  # fmt: skip
row("ex2.approx.f16", ("f16",), "f16", double(np.exp2), allowed=lambda g, w: relative(2.0**-9.9)(g, w) | absolute(2.0**-24)(g, w))
row("tanh.approx.f16", ("f16",), "f16", double(np.tanh), allowed=lambda g, w: absolute(2.0**-10.9)(g, w))


