"""Who writes an element: what a look at all blocks of a launch finds in their journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Element:
    """An element of an array, by the byte at which it begins."""

    array: str
    begin: int
    size: int


@dataclass(frozen=True)
class Writer:
    """The block of a launch that wrote an element last; one that `is_near` wrote the nearest to it instead."""

    launch: int
    block: int
    distance: int

    @property
    def is_near(self) -> bool:
        return self.distance > 0


def last_writer(
    launch: int,
    blocks: NDArray[Any],
    masks: NDArray[Any],
    begins: NDArray[Any],
    widths: Sequence[int] | NDArray[Any],
    element: Element,
) -> Writer | None:
    """The block that wrote next to an element, of several the last; None if nothing was written.

    One row for each write of a warp, in order: its block, its lanes (bits), for each lane the byte of the array at
    which it writes, and how many.
    """
    lanes = (masks[:, None] >> np.arange(32) & 1).astype(bool)
    if not lanes.any():
        return None
    ends = begins + np.asarray(widths, np.int64)[:, None]
    before = np.maximum(element.begin - ends + 1, 0)
    after = np.maximum(begins - element.begin - element.size + 1, 0)
    distances = np.where(lanes, before + after, np.iinfo(np.int64).max).min(axis=1)
    least = int(distances.min())
    return Writer(launch, int(blocks[np.flatnonzero(distances == least)[-1]]), least)
