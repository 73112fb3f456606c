"""The block that wrote an element: from the rows of a journal."""

import numpy as np
import pytest

from grader.replay.writers import Element, Writer, last_writer

LANES = np.arange(32)


def found(begin: int, *rows: tuple[int, int, int, int]) -> Writer | None:
    """The writer of the four bytes at `begin`. A row: a block, its lanes, where the first writes, the bytes of each."""
    blocks, masks, begins, widths = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    places = begins[:, None] + LANES * widths[:, None]
    return last_writer(7, blocks, masks, places, widths, Element("C", begin, 4))


@pytest.mark.parametrize(
    ("begin", "block", "distance"),
    [
        (0, 0, 0),
        (124, 0, 0),
        (128, 2, 0),
        (252, 2, 0),
        (256, 2, 1),
        (400, 3, 97),
        (500, 3, 0),
        (508, 3, 1),
    ],
)
def test_the_last_that_wrote_it_or_next_to_it(begin: int, block: int, distance: int) -> None:
    rows = ((0, 0xFFFFFFFF, 0, 4), (1, 0xFFFFFFFF, 128, 4), (2, 0xFFFFFFFF, 128, 4), (3, 1, 500, 8))
    assert found(begin, *rows) == Writer(7, block, distance)


def test_only_lanes_at_work_count() -> None:
    assert found(4, (0, 1, 0, 4), (1, 2, 0, 4)) == Writer(7, 1, 0)
    assert found(8, (0, 0, 0, 4)) is None
