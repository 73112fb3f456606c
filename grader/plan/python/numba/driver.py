"""numba-cuda without a GPU: its own arrays, types and compiler, over CUDA driver functions that write down.

The seam is below numba's classes: `numba_device` plays what they call of CUDA's driver, `numba_kernel` takes the place
of a compiled kernel. Nothing of numba is imported before a driver is made.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import ModuleType
from typing import Any

from grader.plan.python.driver import Argument, DeviceArray, Memo
from grader.plan.python.tape import Tape


class NumbaDriver:
    """numba-cuda's side of the recording process."""

    def __init__(self, memo: Memo) -> None:
        from grader.plan.python.numba import arrays, device, kernel

        # What numba's import leaves lives as long as the process; a search through it takes longer than a recording.
        gc.freeze()
        self._memo = memo
        self._arrays, self._device, self._kernel = arrays, device, kernel

    def install(self, tape: Callable[[], Tape]) -> None:
        self._device.install(tape)
        self._kernel.install(tape, self._memo)

    def call(self, module: ModuleType, arguments: list[Argument], tape: Tape) -> None:
        with self._device.one_call():
            module.solve(*(self._given(argument, tape) for argument in arguments))

    def compile_failure(self, error: BaseException) -> tuple[str, int] | None:
        """The message and the line of an error of numba's compiler; None for any other."""
        return self._kernel.compile_failure(error)

    def _given(self, argument: Argument, tape: Tape) -> Any:
        return self._arrays.of_problem(argument, tape) if isinstance(argument, DeviceArray) else argument.value
