"""CUDA's errors in the words of a Report: which are a submission's fault, and of which class.

It only translates numbers and messages; it runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.core.verdict import FaultClass
from grader.run.gpu.buffers import Overrun

OUT_OF_MEMORY = 2

DURING: Mapping[int, tuple[FaultClass, str]] = {
    700: (FaultClass.OUT_OF_BOUNDS, "the kernel accessed memory that belongs to no array"),
    710: (FaultClass.TRAP, "an assert() of the kernel failed"),
    714: (FaultClass.OUT_OF_BOUNDS, "a thread's stack overflowed or was overwritten"),
    715: (FaultClass.ILLEGAL_INSTRUCTION, "the GPU met an instruction that it can't execute"),
    716: (FaultClass.MISALIGNED, "the kernel accessed an address that is not a multiple of the access's size"),
    717: (FaultClass.OUT_OF_BOUNDS, "the kernel used an address in the wrong memory space"),
    718: (FaultClass.ILLEGAL_INSTRUCTION, "the kernel jumped to where no code is"),
    719: (FaultClass.TRAP, "the kernel stopped in the middle: by __trap(), or by an access outside shared memory"),
}
"""Errors while a kernel runs, by CUresult (CUDA Driver API, data types). The context is unusable afterwards."""

HINT = "The emulator's checks find the line of such a fault, at sizes that it can run: --device emulator."


def launch_fault(kernel: str, error: Exception) -> dict[str, Any]:
    """Returns the fault of a launch that CUDA refuses, in CUDA's words."""
    return _fault(FaultClass.LAUNCH_FAILURE, f"CUDA refuses to launch {kernel}: {_said(error)}", kernel)


def refused_fault(message: str) -> dict[str, Any]:
    """Returns the fault of a launch that is refused before CUDA is asked, in kgrade's words."""
    return _fault(FaultClass.LAUNCH_FAILURE, message, "")


def running_fault(kernel: str, status: int, error: Exception) -> dict[str, Any]:
    """Returns the fault of an error that ended a kernel. An unknown error is the kernel's too: nothing else ran."""
    kind, words = DURING.get(status, (FaultClass.TRAP, "CUDA stopped the kernel"))
    return {**_fault(kind, f"{words}; CUDA says: {_said(error)}", kernel), "hint": HINT}


def overrun_fault(kernel: str, array: str, size: int, overrun: Overrun) -> dict[str, Any]:
    """Returns the fault of writes found in an array's guard zones; `size` is the array's in elements."""
    places = [
        f"{count} byte{'' if count == 1 else 's'} {where}"
        for count, where in ((overrun.before, "before its first element"), (overrun.after, "behind its last element"))
        if count
    ]
    fault = _fault(FaultClass.OUT_OF_BOUNDS, f"writes outside {array}: {' and '.join(places)}", kernel)
    found = f"The GPU changed {' and '.join(places)} of {array}, seen after the run."
    return {**fault, "access": "write", "array": array, "index": overrun.index, "extent": size, "hint": found}


def early_fault(kernel: str, array: str, message: str) -> dict[str, Any]:
    """Returns the fault of a launch that wrote an array of another launch."""
    fault = _fault(FaultClass.OUT_OF_BOUNDS, f"writes {array} of another launch: {message}", kernel)
    return {**fault, "access": "write", "array": array}


def _fault(kind: FaultClass, message: str, kernel: str) -> dict[str, Any]:
    return {"fault": str(kind), "message": message, "kernel": kernel}


def _said(error: Exception) -> str:
    """Returns CUDA's sentence, without the error's name before it."""
    name, _, words = str(error).partition(": ")
    return f"{words} ({name})" if words else name
