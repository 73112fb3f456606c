"""A problem's starter in each language in Python, made from its parameters: a kernel to fill in, and its launch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from grader.core.verdict import LanguageName
from grader.problem import Problem


def triton_starter(problem: Problem) -> str:
    """A kernel of one program for each block of an array, with its pointers and sizes."""
    return f"""import torch
import triton
import triton.language as tl


@triton.jit
def {_kernel(problem)}({_names(problem)}, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)


# {_arrays(problem)}: tensors on the GPU
def solve({_annotated(problem, "torch.Tensor", "int", "float")}):
    grid = (1,)
    {_kernel(problem)}[grid]({_names(problem)}, BLOCK=256)
"""


def cutile_starter(problem: Problem) -> str:
    """A kernel of one block for each tile of an array."""
    return f"""import cuda.tile as ct
import torch


@ct.kernel
def {_kernel(problem)}({_names(problem)}, TILE: ct.Constant[int]):
    index = ct.bid(0)


# {_arrays(problem)}: tensors on the GPU
def solve({_annotated(problem, "torch.Tensor", "int", "float")}):
    grid = (1,)
    ct.launch(torch.cuda.current_stream(), grid, {_kernel(problem)}, ({_names(problem)}, 256))
"""


def cute_starter(problem: Problem) -> str:
    """A kernel of one thread for each element."""
    parameters = _annotated(problem, "cute.Tensor", "cute.Int32", "cute.Float32")
    return f"""import cutlass
import cutlass.cute as cute


@cute.kernel
def {_kernel(problem)}({parameters}):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    index = block * 256 + thread


# {_arrays(problem)}: tensors on the GPU
@cute.jit
def solve({parameters}):
    {_kernel(problem)}({_names(problem)}).launch(grid=(1, 1, 1), block=(256, 1, 1))
"""


def numba_starter(problem: Problem) -> str:
    """A kernel of one thread for each element."""
    return f"""from numba import cuda


@cuda.jit
def {_kernel(problem)}({_names(problem)}):
    index = cuda.grid(1)


# {_arrays(problem)}: arrays on the GPU
def solve({_names(problem)}):
    {_kernel(problem)}[1, 256]({_names(problem)})
"""


STARTERS: Mapping[LanguageName, Callable[[Problem], str]] = {
    LanguageName.TRITON: triton_starter,
    LanguageName.CUTILE: cutile_starter,
    LanguageName.CUTE: cute_starter,
    LanguageName.NUMBA: numba_starter,
}


def _arrays(problem: Problem) -> str:
    return ", ".join(name for c_type, name in problem.c_parameters if "*" in c_type)


def _names(problem: Problem) -> str:
    return ", ".join(name for _, name in problem.c_parameters)


def _kernel(problem: Problem) -> str:
    """The problem's name for its kernel; a problem that brings its own tests has none."""
    if problem.kernel != "solve":
        return problem.kernel
    return re.sub(r"\W", "_", problem.name.rpartition(":")[2].lstrip("0123456789_")) + "_kernel"


def _annotated(problem: Problem, array: str, whole: str, real: str) -> str:
    """The parameters of solve() with their types."""

    def kind(c_type: str) -> str:
        if "*" in c_type:
            return array
        return real if c_type in ("float", "double") else whole

    return ", ".join(f"{name}: {kind(c_type)}" for c_type, name in problem.c_parameters)
