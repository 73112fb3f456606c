"""Reduces a mask of wrong elements to a map of at most 64 × 64 cells, so that a wrong last tile shows at a glance.

Drawing it is left to others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grader.core.report import ErrorMap

CELLS = 64


def error_map(wrong: npt.NDArray[np.bool_]) -> ErrorMap | None:
    """Returns the fraction of wrong elements in each cell, None for an output of one element.

    A vector is wrapped into at most 64 rows whose length is a multiple of 64, so that columns line up with warps and
    blocks; in an array of more than two dimensions, all dimensions but the last form the rows.
    """
    if wrong.size <= 1:
        return None
    rows, columns = _layout(wrong.shape)
    height, width = -(-rows // CELLS), -(-columns // CELLS)
    padded = np.zeros((-(-rows // height) * height, -(-columns // width) * width), dtype=bool)
    present = np.zeros_like(padded)
    # The last row of a wrapped vector may be short: positions beyond its end are not counted.
    flat = np.zeros(rows * columns, dtype=bool)
    flat[: wrong.size] = wrong.ravel()
    padded[:rows, :columns] = flat.reshape(rows, columns)
    flat[:] = np.arange(flat.size) < wrong.size
    present[:rows, :columns] = flat.reshape(rows, columns)
    bad, total = (_sum_cells(mask, height, width) for mask in (padded, present))
    share = bad / np.maximum(total, 1)
    return ErrorMap((rows, columns), height, width, tuple(tuple(row) for row in share.tolist()))


def _layout(shape: tuple[int, ...]) -> tuple[int, int]:
    long = [length for length in shape if length > 1]
    if len(long) > 1:
        rows = int(np.prod(shape[:-1], dtype=np.int64))
        return rows, shape[-1]
    length = long[0]
    columns = CELLS
    while columns * CELLS < length:
        columns *= 2
    return -(-length // columns), min(columns, length)


def _sum_cells(mask: npt.NDArray[np.bool_], height: int, width: int) -> npt.NDArray[np.int64]:
    rows, columns = mask.shape
    cells = mask.reshape(rows // height, height, columns // width, width)
    counts: npt.NDArray[np.int64] = cells.sum(axis=(1, 3), dtype=np.int64)
    return counts
