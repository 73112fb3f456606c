"""Made-up timings with a known answer: noise, rare delays, and a clock that drifts for both sides alike."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np

from grader.measure.statistics import Quad

SETUPS = [(0.005, 0.03, 300.0), (0.01, 0.03, 300.0), (0.02, 0.05, 100.0), (0.01, 0.05, 20.0)]
"""Noise of a replay and drift of the clock, both as shares, and how many replays the drift stays alike for."""


def drift(rng: np.random.Generator, count: int, size: float, length: float) -> np.ndarray:
    """A slow random walk that returns (AR(1)): the logarithm of a common slowdown, replay by replay."""
    keep = exp(-1 / length)
    steps = rng.normal(0, size * sqrt(1 - keep * keep), count)
    steps[0] = rng.normal(0, size)
    walk = np.empty(count)
    last = 0.0
    for i, step in enumerate(steps):
        last = keep * last + step
        walk[i] = last
    return walk


def slowdowns(rng: np.random.Generator, count: int, noise: float, drifting: float, length: float) -> np.ndarray:
    """Factors on the true time of replays in a row; two in a hundred are delayed by something else."""
    delays = (rng.random(count) < 0.02) * rng.exponential(0.05, count)
    return np.exp(drift(rng, count, drifting, length) + rng.normal(0, noise, count) + delays)


def quads(factors: np.ndarray, ratio: float, baseline: float = 1e-5) -> list[Quad]:
    """Rounds R C C R over these slowdowns."""
    rows = factors[: len(factors) // 4 * 4].reshape(-1, 4) * baseline
    return [Quad((float(b * ratio), float(c * ratio)), (float(a), float(d))) for a, b, c, d in rows]
