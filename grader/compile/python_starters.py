"""A problem's starter in each language in Python, made from its parameters: a kernel to fill in, and its launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.core.verdict import LanguageName
from grader.problem import Problem


def triton_starter(problem: Problem) -> str:
    """A kernel of one program for each block of an array, with its pointers and sizes."""
    return f"""import torch
import triton
import triton.language as tl


@triton.jit
def {problem.kernel}({", ".join(problem.params)}, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)


# {_arrays(problem)}: tensors on the GPU
def solve({_annotated(problem, "torch.Tensor", "int", "float")}):
    grid = (1,)
    {problem.kernel}[grid]({", ".join(problem.params)}, BLOCK=256)
"""


def cutile_starter(problem: Problem) -> str:
    """A kernel of one block for each tile of an array."""
    return f"""import cuda.tile as ct
import torch


@ct.kernel
def {problem.kernel}({", ".join(problem.params)}, TILE: ct.Constant[int]):
    index = ct.bid(0)


# {_arrays(problem)}: tensors on the GPU
def solve({_annotated(problem, "torch.Tensor", "int", "float")}):
    grid = (1,)
    ct.launch(torch.cuda.current_stream(), grid, {problem.kernel}, ({", ".join(problem.params)}, 256))
"""


def cute_starter(problem: Problem) -> str:
    """A kernel of one thread for each element."""
    parameters = _annotated(problem, "cute.Tensor", "cute.Int32", "cute.Float32")
    return f"""import cutlass
import cutlass.cute as cute


@cute.kernel
def {problem.kernel}({parameters}):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    index = block * 256 + thread


# {_arrays(problem)}: tensors on the GPU
@cute.jit
def solve({parameters}):
    {problem.kernel}({", ".join(problem.params)}).launch(grid=(1, 1, 1), block=(256, 1, 1))
"""


def numba_starter(problem: Problem) -> str:
    """A kernel of one thread for each element."""
    return f"""from numba import cuda


@cuda.jit
def {problem.kernel}({", ".join(problem.params)}):
    index = cuda.grid(1)


# {_arrays(problem)}: arrays on the GPU
def solve({", ".join(problem.params)}):
    {problem.kernel}[1, 256]({", ".join(problem.params)})
"""


STARTERS: Mapping[LanguageName, Callable[[Problem], str]] = {
    LanguageName.TRITON: triton_starter,
    LanguageName.CUTILE: cutile_starter,
    LanguageName.CUTE: cute_starter,
    LanguageName.NUMBA: numba_starter,
}


def _arrays(problem: Problem) -> str:
    return ", ".join(name for name in problem.params if name in {**problem.inputs, **problem.outputs})


def _annotated(problem: Problem, array: str, whole: str, real: str) -> str:
    """The parameters of solve() with their types."""
    arrays = {**problem.inputs, **problem.outputs}

    def kind(name: str) -> str:
        if name in arrays:
            return array
        return real if name in problem.scalars and not problem.scalars[name].dtype.whole else whole

    return ", ".join(f"{name}: {kind(name)}" for name in problem.params)
