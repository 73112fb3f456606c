"""What is told of a fault in Triton's words: programs, blocks of elements and masks, where CUDA has threads."""

from __future__ import annotations

from collections.abc import Mapping

from grader.core.report import Dim3
from grader.core.verdict import FaultClass

FAULTS: Mapping[FaultClass, str] = {
    FaultClass.OUT_OF_BOUNDS: (
        "On a GPU such an access may pass unseen, change another array, or end the program. Usual causes: a tl.load() "
        "or tl.store() without mask=..., such as mask=places < N, in a block that reaches beyond the end; of a block "
        "pointer, without boundary_check=...; a mask for one of two dimensions only; or strides of another array."
    ),
    FaultClass.UNINITIALIZED_READ: (
        "The memory was read before anything wrote it, so its content is whatever was there. Usual causes: "
        "torch.empty() where the kernel adds to what is there, which needs torch.zeros() or .zero_(), or a kernel "
        "that reads more of a scratch tensor than the one before wrote."
    ),
    FaultClass.DATA_RACE: (
        "Two programs, or two launches, access the same memory, one of them writes, and nothing orders them. Usual "
        "causes: programs that add to one element by tl.load() and tl.store() in place of tl.atomic_add(); places "
        "that belong to the blocks of two programs; or, within a program, a tl.load() of what it has stored without a "
        "tl.debug_barrier() between."
    ),
}
"""What usually causes a fault, where that differs from CUDA."""


def name_program(block: Dim3) -> str:
    """The program of a block of threads, by its tl.program_id(): "program (3, 0)"."""
    x, y, z = block
    return f"program ({x}, {y}, {z})" if z else f"program ({x}, {y})"
