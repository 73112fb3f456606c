"""Long names of templates in the compiler's messages."""

from __future__ import annotations

import pytest

from grader.compile.template_names import LONG, shorten

DEEP = "t<" * LONG + "int" + ">" * LONG


def test_a_short_message_stays() -> None:
    message = 'no operator "<" matches: std::pair<int, std::pair<int, std::pair<int, std::pair<int, int>>>> < int'
    assert shorten(message) == message


@pytest.mark.parametrize(
    ("long", "short"),
    [
        (f'"{DEEP}" is no type', '"t<t<t<t<…>>>>" is no type'),
        (f'"a::b<{DEEP}>::c<1>" and "d<2>"', '"a::b<t<t<t<…>>>>::c<1>" and "d<2>"'),
        (f'"a<(b->c), {DEEP}>" is odd', '"a<(b->c), t<t<t<…>>>>" is odd'),
        (f'"operator<(x<1>)" of "{DEEP}"', '"operator<(x<1>)" of "t<t<t<t<…>>>>"'),
        (f'in "a < b", "c<d" and "{DEEP}"', 'in "a < b", "c<d" and "t<t<t<t<…>>>>"'),
    ],
)
def test_the_innermost_arguments_are_left_out(long: str, short: str) -> None:
    assert shorten(long) == short


def test_as_many_levels_are_kept_as_fit() -> None:
    filled = "x" * (LONG - 10)
    assert shorten(f"{filled} t<t<int>>") == f"{filled} t<t<int>>"
    assert shorten(f"{filled} t<t<long>>") == f"{filled} t<t<…>>"
    assert shorten(f"{filled} t<t<float>, 1>") == f"{filled} t<…>"
    assert shorten(f"{filled} is no name") == f"{filled} is no na…"
