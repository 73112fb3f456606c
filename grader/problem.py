"""The public face of problems: what a `problem.py` imports, and how the rest of kgrade finds and loads one.

It holds no code of its own.
"""

from grader.definition import Cost, Problem, ceil_div
from grader.gates import Gates, contraction, elementwise, exact, total
from grader.parameters import Array, DType, Size, array, f32, out, size
from grader.problem_loader import find_problems, load_problem

__all__ = [
    "Array",
    "Cost",
    "DType",
    "Gates",
    "Problem",
    "Size",
    "array",
    "ceil_div",
    "contraction",
    "elementwise",
    "exact",
    "f32",
    "find_problems",
    "load_problem",
    "out",
    "size",
    "total",
]
