"""The public interface of problems: what a `problem.py` imports, and how the rest of kgrade finds and loads one.

It contains no code of its own.
"""

from grader.problem.always import at
from grader.problem.arrays import module_of, on_host, running_maximum
from grader.problem.definition import Cost, Problem
from grader.problem.expressions import ceil_div
from grader.problem.gates import Gates, contraction, elementwise, exact, scaled, total
from grader.problem.loader import find_problems, load_problem
from grader.problem.parameters import (
    Array,
    DType,
    Size,
    array,
    bf16,
    choice,
    computed,
    e4m3,
    e5m2,
    f16,
    f32,
    f64,
    flag,
    i8,
    i32,
    i64,
    index,
    out,
    product,
    scalar,
    size,
    u8,
    u32,
)
from grader.problem.values import below, integers, uniform

__all__ = [
    "Array",
    "Cost",
    "DType",
    "Gates",
    "Problem",
    "Size",
    "array",
    "at",
    "below",
    "bf16",
    "ceil_div",
    "choice",
    "computed",
    "contraction",
    "e4m3",
    "e5m2",
    "elementwise",
    "exact",
    "f16",
    "f32",
    "f64",
    "find_problems",
    "flag",
    "i8",
    "i32",
    "i64",
    "index",
    "integers",
    "load_problem",
    "module_of",
    "on_host",
    "out",
    "product",
    "running_maximum",
    "scalar",
    "scaled",
    "size",
    "total",
    "u8",
    "u32",
    "uniform",
]
