"""The listing: every line has its number, its colours, and the remarks that belong to it."""

import re
from html import unescape

import pytest
from markupsafe import Markup

from grader.boards.code import (
    LARGEST_HIGHLIGHTED,
    Remark,
    excerpt,
    highlight,
    listing,
    remarks_of,
    split_lines,
)
from grader.core.report import Diagnostic
from grader.core.verdict import LanguageName

from .samples import HOSTILE, NAIVE, TRITON, accepted, compile_error, out_of_bounds, time_limit


def text_of(html: str) -> str:
    return unescape(re.sub("<[^>]*>", "", html))


@pytest.mark.parametrize(
    "source",
    [
        NAIVE,
        "",
        "\n\n\nint x;\n\n\n",
        "no end of line",
        "\tint\tx;\r\nint y;\r\n",
        "/* a\n\n b */ x\n",
        f"// {HOSTILE}\n",
    ],
)
def test_lines_keep_their_numbers_and_their_text(source: str) -> None:
    assert [text_of(line) for line in highlight(source, LanguageName.CUDA)] == split_lines(source)


def test_a_comment_over_two_lines_is_coloured_in_both() -> None:
    first, second = highlight("/* a\n b */", LanguageName.CUDA)
    assert 'class="cm"' in first and 'class="cm"' in second


def test_the_words_of_cuda_are_coloured() -> None:
    assert 'class="' in highlight("__global__ void k() {}", LanguageName.CUDA)[0]
    assert "__global__" in text_of(highlight("__global__ void k() {}", LanguageName.CUDA)[0])


def test_python_is_coloured_as_python() -> None:
    lines = highlight(TRITON, LanguageName.TRITON)
    assert [text_of(line) for line in lines] == split_lines(TRITON)
    assert '<span class="k">def</span>' in lines[6]
    assert 'class="c1"># at once</span>' in lines[8]


def test_a_very_long_source_is_shown_plainly_and_escaped() -> None:
    lines = highlight("// <b>\n" * (LARGEST_HIGHLIGHTED // 6), LanguageName.CUDA)
    assert set(lines) == {"// &lt;b&gt;"}


def test_characters_that_turn_text_around_are_spelled_out() -> None:
    (line,) = highlight("int a; /* \u202e } \u2066 */", LanguageName.CUDA)
    assert "‹U+202E›" in line and "‹U+2066›" in line


def test_a_fault_and_diagnostics_are_remarked_at_their_lines() -> None:
    assert remarks_of(out_of_bounds()) == {14: [Remark("error", "reads A[17], which has 17 elements (0 to 16)")]}
    assert {line: [r.severity for r in own] for line, own in remarks_of(compile_error()).items()} == {
        13: ["error"],
        9: ["warning"],
    }
    assert remarks_of(time_limit()) == {13: [Remark("error", time_limit().headline)]}
    assert remarks_of(accepted()) == {}


def test_the_worst_remark_colours_the_line() -> None:
    lines = listing([Markup("a"), Markup("b")], {1: [Remark("note", ""), Remark("error", ""), Remark("warning", "")]})
    assert [line.severity for line in lines] == ["error", ""]


@pytest.mark.parametrize(
    ("line", "column", "pointer"),
    [("\tint x;", 2, "\t^"), ("  x", 3, "  ^"), ("/* ü */ x", 10, "        ^"), ("x", 1, "^"), ("x", 0, "^")],
)
def test_the_pointer_stands_below_the_column(line: str, column: int, pointer: str) -> None:
    """Compilers count bytes of UTF-8, and a tab as one."""
    shown = excerpt(listing([Markup(line)], {}), line, Diagnostic("error", "", 1, column))
    assert [row.pointer for row in shown] == [pointer]


def test_an_excerpt_ends_with_the_source() -> None:
    source = "1\n2\n3\n4\n5\n6"
    lines = listing([Markup(line) for line in source.split("\n")], {})
    assert [row.number for row in excerpt(lines, source, Diagnostic("error", "", 2))] == [1, 2, 3, 4]
    assert [row.severity for row in excerpt(lines, source, Diagnostic("warning", "", 6))] == [
        "",
        "",
        "warning",
    ]
    for nowhere in (None, 0, 7):
        assert excerpt(lines, source, Diagnostic("error", "", nowhere)) == []
