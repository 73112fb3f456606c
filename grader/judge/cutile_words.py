"""What is told of a fault in cuTile's words: tiles that reach beyond an array, and what lies there."""

from __future__ import annotations

from collections.abc import Mapping

from grader.core.verdict import FaultClass

FAULTS: Mapping[FaultClass, str] = {
    FaultClass.OUT_OF_BOUNDS: (
        "On a GPU such an access may pass unseen, change another array, or end the program. Usual causes: ct.gather() "
        "or ct.scatter() with check_bounds=False, or an array of another shape than the one whose places are used."
    ),
    FaultClass.UNINITIALIZED_READ: (
        "The memory was read before anything wrote it, so its content is whatever was there. Usual causes: a ct.load() "
        "of a tile that reaches beyond the end, without padding_mode=ct.PaddingMode.ZERO; an output that "
        "ct.atomic_add() adds to and no kernel has set to 0; or torch.empty() in place of torch.zeros()."
    ),
}
"""What usually causes a fault, where that differs from CUDA."""
