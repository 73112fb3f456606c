"""Shortens the way of a warp through its basic blocks: of a loop the first rounds stay, and stand for all.

A loop is a sequence that repeats itself; loops may hold loops, whose numbers of rounds may differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST = 48
"""Basic blocks, and inner loops, of the longest loop that is recognised."""
KEPT = 3
"""Rounds of a loop that stay. The first fills caches and pipelines, the others show how fast it goes on."""


@dataclass(frozen=True)
class Step:
    """A basic block, and how many executions it stands for."""

    block: int
    weight: float


@dataclass
class _Loop:
    """A repeated sequence of tokens, with its mean number of rounds."""

    body: tuple[int, ...]
    rounds: float


def shorten(blocks: NDArray[np.int64]) -> tuple[Step, ...]:
    """Returns the steps of a shorter way; their weights add up to the length of `blocks`."""
    loops: dict[int, _Loop] = {}
    tokens = blocks.copy()
    for period in range(1, LONGEST + 1):
        if len(tokens) < (KEPT + 1) * period:
            break
        tokens = _fold(tokens, period, loops)
    return tuple(_steps(tokens.tolist(), 1.0, loops))


def _fold(tokens: NDArray[np.int64], period: int, loops: dict[int, _Loop]) -> NDArray[np.int64]:
    """Replaces each run of more than KEPT equal sequences of this length by a loop, whose token is negative."""
    same = np.concatenate([tokens[period:] == tokens[:-period], [False]])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same])))
    if len(edges) % 2:
        edges = np.append(edges, len(same))
    found: list[NDArray[np.int64]] = []
    done = 0
    names = {loop.body: name for name, loop in loops.items()}
    seen: dict[int, list[int]] = {}
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        rounds = (end - start) // period + 1
        if rounds <= KEPT or start < done:
            continue
        body = tuple(tokens[start : start + period].tolist())
        name = names.setdefault(body, -1 - len(names))
        seen.setdefault(name, []).append(rounds)
        loops.setdefault(name, _Loop(body, 0.0))
        found += [tokens[done:start], np.array([name])]
        done = start + rounds * period
    for name, all_rounds in seen.items():
        loops[name].rounds = sum(all_rounds) / len(all_rounds)
    return np.concatenate([*found, tokens[done:]]) if found else tokens


def _steps(tokens: Sequence[int], weight: float, loops: dict[int, _Loop]) -> list[Step]:
    found: list[Step] = []
    for token in tokens:
        if token >= 0:
            found.append(Step(token, weight))
            continue
        loop = loops[token]
        for number in range(KEPT):
            rounds = 1.0 if number == 0 else (loop.rounds - 1) / (KEPT - 1)
            found += _steps(loop.body, weight * rounds, loops)
    return found
