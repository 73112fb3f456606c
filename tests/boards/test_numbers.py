"""Numbers next to marks: the first place that is free, and none outside the frame."""

from grader.boards.axes import Frame
from grader.boards.numbers import place_numbers

FRAME = Frame(220, 220, left=10, right=210, top=10, bottom=210)
MARK = (100.0, 100.0)
ABOVE, BELOW, RIGHT, LEFT = (100, 89), (100, 121), (114, 104.5), (86, 104.5)


def test_a_mark_alone_has_its_number_above() -> None:
    assert place_numbers(FRAME, [MARK]) == [ABOVE]


def test_what_is_taken_sends_it_on_to_the_next_place() -> None:
    above, below, right, left = (100.0, 82.0), (100.0, 116.0), (114.0, 100.0), (86.0, 100.0)
    assert place_numbers(FRAME, [MARK], [above]) == [BELOW]
    assert place_numbers(FRAME, [MARK], [above, below]) == [RIGHT]
    assert place_numbers(FRAME, [MARK], [above, below, right]) == [LEFT]
    ((x, y),) = place_numbers(FRAME, [MARK], [above, below, right, left])
    assert x == 114 and 113 < y < 125


def test_a_line_is_not_covered() -> None:
    level = [(10.0, 84.0), (210.0, 84.0)]
    assert place_numbers(FRAME, [MARK], lines=[level]) == [BELOW]
    steep = [(10.0, 193.0), (193.0, 10.0), (210.0, 10.0)]
    assert place_numbers(FRAME, [MARK], lines=[level, steep]) == [LEFT]
    # A line that ends before the number does not reach it.
    assert place_numbers(FRAME, [MARK], lines=[[(10.0, 84.0), (90.0, 84.0)]]) == [ABOVE]


def test_at_the_upper_border_it_stands_below() -> None:
    assert place_numbers(FRAME, [(100.0, 15.0)]) == [(100, 36)]


def test_the_upper_one_of_two_marks_is_served_first_and_the_order_stays() -> None:
    lower, upper = (100.0, 104.0), (100.0, 100.0)
    assert place_numbers(FRAME, [lower, upper]) == [(100, 125), (100, 89)]
    above, below = (100.0, 82.0), (100.0, 120.0)
    assert place_numbers(FRAME, [lower, upper], [above, below]) == [(86, 108.5), (114, 104.5)]


def test_where_nothing_is_free_it_stands_above() -> None:
    everywhere = [(float(x), float(y)) for x in range(10, 211, 8) for y in range(10, 211, 8)]
    assert place_numbers(FRAME, [MARK], everywhere) == [ABOVE]
