"""How many floating-point operations an instruction stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from grader.run.emulator.ptx.traits import MatrixRole, Traits
from grader.run.emulator.structure import LANES

_FLOATS = {"f16": 1, "bf16": 1, "f32": 1, "f64": 1, "f16x2": 2, "bf16x2": 2, "f32x2": 2}
_PRODUCT = re.compile(r"m([0-9]{1,4})n([0-9]{1,4})k([0-9]{1,4})")


def operations_of(traits: Traits, modifiers: Sequence[str]) -> int:
    """Floating-point operations of one thread executing this once, or its share of a warp's matrix product."""
    if traits.matrix is MatrixRole.PRODUCT:
        shape = _PRODUCT.search(".".join(modifiers))
        if shape is None or not _FLOATS.keys() & set(modifiers):
            return 0
        return 2 * prod(int(side) for side in shape.groups()) // LANES
    kinds = [_FLOATS[m] for m in modifiers if m in _FLOATS]
    return traits.operations * kinds[-1] if kinds else 0
