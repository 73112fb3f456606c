"""The roofline: every mark below the ceilings that it was measured against, at a place that can be computed by hand."""

import re
from dataclasses import replace
from itertools import combinations

import pytest

from grader.boards.numbers import SIZE
from grader.boards.roofline import FRAME, MOST_OTHERS, Roofline, draw, limit, point_of
from grader.core.report import Measurement

from .measurements import H200, matmul_times, timed, vector_times

# A GPU whose ridge is at 10 FLOP a byte, without a data sheet.
ROUND = replace(H200, bandwidth=1e12, flops=1e13, datasheet_bandwidth=None, datasheet_flops=None)


def picture(measurement: Measurement, *others: tuple[str, Measurement]) -> Roofline:
    found = draw(measurement, others)
    assert found is not None
    return found


def one_size(intensity: float, rate: float) -> Measurement:
    flops = 10**9
    return Measurement((timed({"N": 1}, flops / rate, flops, round(flops / intensity)),), ROUND, None)


def test_a_kernel_at_the_ridge_stands_where_the_ceilings_meet() -> None:
    found = picture(one_size(10, 1e13))
    (mark,) = found.series[0].marks
    assert (mark.x, mark.y) == found.ridge


@pytest.mark.parametrize(("intensity", "rate"), [(1, 1e12), (0.1, 1e11), (3, 3e12), (10, 1e13), (100, 1e13)])
def test_a_kernel_at_the_speed_of_light_stands_on_the_roof(intensity: float, rate: float) -> None:
    found = picture(one_size(intensity, rate))
    (mark,) = found.series[0].marks
    start, ridge, end = (tuple(map(float, point)) for point in _corners(found.reached))
    if mark.x <= ridge[0]:
        part = (mark.x - start[0]) / (ridge[0] - start[0])
        assert mark.y == pytest.approx(start[1] + part * (ridge[1] - start[1]), abs=0.2)
    else:
        assert mark.y == pytest.approx(end[1], abs=0.2)


def test_ten_times_slower_is_one_decade_lower() -> None:
    found = picture(one_size(10, 1e13), ("slow", one_size(10, 1e12)))
    (fast,), (slow,) = (series.marks for series in found.series)
    # Which is the distance of two neighbouring lines of the grid.
    assert slow.y - fast.y == pytest.approx(found.rates[0].at - found.rates[1].at, abs=0.2)


@pytest.mark.parametrize("measurement", [matmul_times(), matmul_times(9.0), vector_times()])
def test_all_of_it_stands_inside_the_frame(measurement: Measurement) -> None:
    found = picture(measurement, ("best", matmul_times(9.9)))
    places = [(mark.x, mark.y) for series in found.series for mark in series.marks]
    places += [(mark.number_x, mark.number_y) for mark in found.series[0].marks]
    places += [found.ridge, *_corners(found.reached)]
    assert all(FRAME.left <= x <= FRAME.right and FRAME.top <= y <= FRAME.bottom for x, y in places), places
    assert all(FRAME.left <= tick.at <= FRAME.right for tick in found.intensities)
    assert len(found.intensities) <= 8 and len(found.rates) <= 9


@pytest.mark.parametrize("measurement", [matmul_times(), matmul_times(9.0), vector_times()])
def test_numbers_cover_neither_each_other_nor_marks_nor_the_roof(measurement: Measurement) -> None:
    found = picture(measurement, ("best", matmul_times(7.0)))
    marks = found.series[0].marks
    assert [mark.number for mark in marks] == [1, 2, 3, 4]
    for one, other in combinations(marks, 2):
        assert max(abs(one.number_x - other.number_x), abs(one.number_y - other.number_y)) >= SIZE
    roofs = [_corners(path) for path in (found.reached, found.datasheet) if path]
    for mark in marks:
        left, top, right, bottom = mark.number_x - 5, mark.number_y - 10, mark.number_x + 5, mark.number_y
        for series in found.series:
            assert not any(left - 5 < m.x < right + 5 and top - 5 < m.y < bottom + 5 for m in series.marks)
        for roof in roofs:
            heights = [_height(roof, x) for x in (left, right)]
            assert min(heights) > bottom or max(heights) < top


def test_others_follow_the_entry_with_signs_of_their_own() -> None:
    names = ("ada", "bob", "cy", "di")
    found = picture(matmul_times(), *((name, matmul_times(2.0 + k)) for k, name in enumerate(names)))
    assert [series.label for series in found.series] == ["this entry", *names[:MOST_OTHERS]]
    assert len({series.shape for series in found.series}) == 1 + MOST_OTHERS
    assert "ada, M=4096 N=4096 K=4096: 13.0 ms, 10.6 TFLOP/s" in found.series[1].marks[1].title


def test_it_says_in_words_what_it_shows() -> None:
    found = picture(matmul_times())
    assert "4.31 TB/s and 51.2 TFLOP/s" in found.ceilings and "11.9 FLOP a byte" in found.ceilings
    assert "2: 683 FLOP a byte, right of the ridge, 5.28 TFLOP/s, 10.3 % of the speed of light." in found.description
    assert "left of the ridge" in picture(vector_times()).description


def test_a_data_sheet_that_is_unknown_draws_no_line() -> None:
    assert picture(matmul_times()).datasheet.startswith("M")
    assert picture(vector_times()).datasheet == ""


def test_sizes_without_arithmetic_have_no_place() -> None:
    size = timed({"N": 9}, 1e-5, 0, 72)
    assert point_of(size) is None
    assert draw(Measurement((size,), H200, None), [("ada", matmul_times())]) is None
    assert draw(Measurement((), H200, None)) is None
    (mark,) = picture(Measurement((size, timed({"N": 9}, 1e-5, 9, 72)), H200, None)).series[0].marks
    assert mark.number == 2


def test_what_limits_the_quickest_kernel() -> None:
    assert [limit(size, H200) for size in vector_times().sizes] == ["launch", "memory", "memory", "memory"]
    assert {limit(size, H200) for size in matmul_times().sizes} == {"arithmetic"}


def _height(roof: list[tuple[float, float]], x: float) -> float:
    (x1, y1), (x2, y2), _ = roof
    return y2 if x >= x2 else y1 + (y2 - y1) * (x - x1) / (x2 - x1)


def _corners(path: str) -> list[tuple[float, float]]:
    match = re.fullmatch(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)H([\d.]+)", path)
    assert match is not None
    x1, y1, x2, y2, x3 = map(float, match.groups())
    return [(x1, y1), (x2, y2), (x3, y2)]
