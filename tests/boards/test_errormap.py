"""The picture of a map: where its rectangles stand, and what it says in words."""

from dataclasses import replace

import pytest

from grader.boards.errormap import HEIGHT, LARGEST_ELEMENT, LEVELS, SMALLEST_SIDE, WIDTH, draw, level
from grader.core.report import ErrorMap, OutputCheck

from .samples import error_map, wrong_last_tile, wrong_output, wrong_vector


@pytest.mark.parametrize(
    ("share", "colour"),
    [(0, 0), (1e-9, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (0.76, 4), (0.999999, 4), (1, 5)],
)
def test_the_colour_tells_none_some_and_all_apart(share: float, colour: int) -> None:
    assert level(share) == colour
    assert 0 <= colour < len(LEVELS)


def test_the_last_tile_stands_at_the_edges() -> None:
    output = wrong_last_tile().cases[0].outputs[0]
    picture = draw(output, {"TILE": 16})
    assert picture is not None
    across, down = picture.width / 200, picture.height / 120
    right = [r for r in picture.rectangles if r.y == 0]
    assert [(r.x / across, r.width / across, r.level) for r in right] == [pytest.approx((192, 8, 5))]
    lowest = max(picture.rectangles, key=lambda r: r.y)
    assert (lowest.x, lowest.width) == pytest.approx((0, picture.width))
    assert lowest.y + lowest.height == pytest.approx(picture.height)
    assert picture.description.endswith("They lie in rows 0 to 119 of 120 and columns 0 to 199 of 200.")
    assert [tick.label for tick in picture.rows] == ["0", "16", "32", "48", "64", "80", "96", "112"]
    assert len(picture.tile_columns) == 12 and picture.note == "Lines every TILE = 16 elements."
    assert down == pytest.approx(across)


@pytest.mark.parametrize("shape", [(1, 1), (1, 8192), (8192, 1), (3, 3), (64, 64), (100, 7), (8192, 8192)])
def test_any_shape_fits_and_can_be_seen(shape: tuple[int, int]) -> None:
    rows, columns = shape
    height, width = -(-rows // 64), -(-columns // 64)
    cells = tuple((1.0,) * -(-columns // width) for _ in range(-(-rows // height)))
    output = OutputCheck("C", shape, 1, rows * columns, 9.0, "G1", map=ErrorMap(shape, height, width, cells))
    picture = draw(output, {"TILE": 16})
    assert picture is not None
    assert picture.width <= WIDTH and picture.height <= HEIGHT
    assert picture.width >= min(columns * LARGEST_ELEMENT, SMALLEST_SIDE) - 1e-9
    assert picture.height >= min(rows * LARGEST_ELEMENT, SMALLEST_SIDE) - 1e-9
    assert sum(r.width * r.height for r in picture.rectangles) == pytest.approx(picture.width * picture.height)
    for ticks, length in ((picture.columns, picture.width), (picture.rows, picture.height)):
        assert 1 <= len(ticks) <= 20 and all(0 <= tick.at <= length for tick in ticks)


def test_single_elements_are_right_or_wrong_and_nothing_between() -> None:
    picture = draw(wrong_output(3, 3, lambda r, c: r == c), {})
    assert picture is not None
    assert picture.legend == ((0, "right"), (5, "wrong"))
    assert [r.title for r in picture.rectangles] == [f"row {k}, column {k}: all wrong" for k in range(3)]
    assert picture.note == "" and picture.tile_columns == ()


def test_a_share_of_a_cell_is_told() -> None:
    output = wrong_output(4, 8, lambda r, c: (r, c) == (0, 5), 4, 4)
    picture = draw(output, {})
    assert picture is not None
    (only,) = picture.rectangles
    assert (only.level, only.title) == (1, "rows 0 to 3, columns 4 to 7: 6.25 % wrong")


def test_a_vector_is_told_by_its_indices() -> None:
    output = wrong_vector().cases[0].outputs[0]
    picture = draw(output, {"BLOCK": 32})
    assert picture is not None
    assert picture.description.endswith("They lie between output[992] and output[999].")
    assert picture.rows[1].label == str(32 * 5) or int(picture.rows[1].label) % 32 == 0
    assert picture.columns[0].label == "+0"
    assert picture.outside is not None
    assert picture.outside.x == pytest.approx(picture.width * 8 / 32)
    assert picture.tile_columns == ()


def test_a_vector_that_fills_its_rows_has_nothing_outside() -> None:
    output = OutputCheck("x", (64,), 1, 64, 2.0, "G1", map=error_map(8, 8, lambda r, c: r == c == 0))
    picture = draw(output, {})
    assert picture is not None and picture.outside is None


def test_a_matrix_of_one_row_is_wrapped_like_a_vector() -> None:
    grid = error_map(2, 64, lambda r, c: r * 64 + c == 99)
    picture = draw(OutputCheck("C", (1, 100), 1, 100, 2.0, "G1", map=grid), {"TILE": 16})
    assert picture is not None
    assert picture.description.endswith("They lie between C[99] and C[99].")
    assert picture.tile_columns == () and picture.outside is not None


def test_without_a_map_there_is_no_picture() -> None:
    output = wrong_output(3, 3, lambda r, c: True)
    assert draw(replace(output, map=None), {}) is None
