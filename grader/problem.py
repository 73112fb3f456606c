"""The public face of problems: what a `problem.py` imports, and how the rest of kgrade finds and loads one.

It holds no code of its own.
"""

from grader.arrays import module_of
from grader.definition import Cost, Problem, ceil_div
from grader.gates import Gates, contraction, elementwise, exact, scaled, total
from grader.parameters import Array, DType, Size, array, choice, f16, f32, i8, i32, index, out, product, size, u8
from grader.problem_loader import find_problems, load_problem
from grader.values import below, integers, uniform

__all__ = [
    "Array",
    "Cost",
    "DType",
    "Gates",
    "Problem",
    "Size",
    "array",
    "below",
    "ceil_div",
    "choice",
    "contraction",
    "elementwise",
    "exact",
    "f16",
    "f32",
    "find_problems",
    "i8",
    "i32",
    "index",
    "integers",
    "load_problem",
    "module_of",
    "out",
    "product",
    "scaled",
    "size",
    "total",
    "u8",
    "uniform",
]
