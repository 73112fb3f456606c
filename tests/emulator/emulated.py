"""Launches the tests' cases on the emulator."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.run.emulator import Memory, Module

from .cases import Case
from .harness import Outcome, family_case, family_ptx, scalar_bytes
from .instructions import Family


@cache
def loaded(ptx: str) -> Module:
    """The emulator's module of this text: translated once however many launches it serves."""
    return Module(ptx)


def on_emulator(ptx: str, case: Case, workers: int | None = 1) -> Outcome:
    memory = Memory()
    arguments = [
        memory.place(k, v).to_bytes(8, "little") if isinstance(v, np.ndarray) else scalar_bytes(v)
        for k, v in case.arguments.items()
    ]
    result = loaded(ptx).launch(
        case.kernel, case.grid, case.block, arguments, memory, shared_bytes=case.shared_bytes, workers=workers
    )
    assert result.status == "done", result
    return Outcome(
        {k: memory.read(k).copy() for k, v in case.arguments.items() if isinstance(v, np.ndarray)}, result.printed
    )


def emulate(family: Family, operands: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """What each row of the family makes of the operands."""
    arrays = on_emulator(family_ptx(family), family_case(family, operands)).arrays
    return [arrays[f"out{i}"] for i in range(len(family.rows))]
