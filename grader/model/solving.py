"""Numbers of executions that fit best to what is known of them: least squares without negative numbers.

Every sum has one order, and nothing goes through a library for matrices: the same bits on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_STEPS = 400
_RIDGE = 1e-9
_ENOUGH = 1e-9

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Equation:
    """The sum of `parts`, pairs of an unknown and its factor, should be `total`; `weight` says how much it counts."""

    parts: tuple[tuple[int, float], ...]
    total: float
    weight: float


def solve(equations: Sequence[Equation], unknowns: int, price: Sequence[float]) -> list[float]:
    """The unknowns, none negative, with the least sum of weighted squares of what misses plus their prices.

    The active sets are those of Lawson and Hanson, "Solving Least Squares Problems" (1974), chapter 23.
    """
    matrix, target = np.zeros((unknowns, unknowns)), -np.array(price, np.float64)
    for one in equations:
        for place, factor in one.parts:
            target[place] += one.weight * factor * one.total
            for other, also in one.parts:
                matrix[place, other] += one.weight * factor * also
    largest = max((float(matrix[n, n]) for n in range(unknowns)), default=1.0) or 1.0
    for n in range(unknowns):
        matrix[n, n] += _RIDGE * largest
    found, free = np.zeros(unknowns), np.zeros(unknowns, bool)
    scale = max((abs(float(value)) for value in target), default=1.0) or 1.0
    for _ in range(MOST_STEPS):
        pull = target - _times(matrix, found)
        pull[free] = 0.0
        best = int(np.argmax(pull))
        if pull[best] <= _ENOUGH * scale:
            break
        free[best] = True
        if not _settle(matrix, target, found, free):
            break
    return [float(f"{value:.9g}") for value in found]


def _settle(matrix: NDArray[np.float64], target: Vector, found: Vector, free: NDArray[np.bool_]) -> bool:
    """Solves for the free unknowns; those that would be negative are zero. Returns whether one of them is left."""
    while True:
        places = np.flatnonzero(free)
        if not len(places):
            return False
        wanted = _gauss(matrix[np.ix_(places, places)], target[places])
        if (wanted > 0).all():
            found[:] = 0.0
            found[places] = wanted
            return True
        before = found[places]
        low = wanted <= 0
        steps = before[low] / np.maximum(before[low] - wanted[low], 1e-300)
        step = float(steps.min())
        moved = before + step * (wanted - before)
        moved[np.flatnonzero(low)[steps <= step]] = 0.0
        found[places] = np.maximum(moved, 0.0)
        free[places[found[places] <= 0]] = False


def _times(matrix: NDArray[np.float64], vector: Vector) -> Vector:
    total = np.zeros(len(vector))
    for column in np.flatnonzero(vector).tolist():
        total += matrix[:, column] * vector[column]
    return total


def _gauss(matrix: NDArray[np.float64], target: Vector) -> Vector:
    """Solves a symmetric, positive system by elimination."""
    matrix = matrix.copy()
    found: Vector = target.copy()
    count = len(found)
    for n in range(count):
        factors = matrix[n + 1 :, n] / matrix[n, n]
        matrix[n + 1 :] -= np.multiply.outer(factors, matrix[n])
        found[n + 1 :] -= factors * found[n]
    for n in range(count - 1, -1, -1):
        found[n] /= matrix[n, n]
        found[:n] -= matrix[:n, n] * found[n]
    return found
