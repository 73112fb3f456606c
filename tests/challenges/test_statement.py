"""Statements in HTML become text that a terminal shows."""

from __future__ import annotations

import pytest

from grader.problem.challenges.statement import markdown_of

from .conftest import SET


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One\n  two.</p>\n\n<p>Three.</p>", "One two.\n\nThree.\n"),
        ("<h2>Title</h2><p>x</p>", "## Title\n\nx\n"),
        ("<ul><li>a</li><li>b <code>c</code></li></ul>", "- a\n- b `c`\n"),
        ("<p>1 &le; <code>n</code> &times; 2<sup>3</sup></p>", "1 ≤ `n` × 2^3\n"),
        ("<pre>\na = 1\n  b &lt; 2</pre>after", "```\na = 1\n  b < 2\n```\n\nafter\n"),
        ("<pre><code>x  y</code></pre>", "```\nx  y\n```\n"),
        ("<p><b>bold</b> and <em>not</em></p>", "**bold** and *not*\n"),
        ("a<script>alert(1)</script><style>p {}</style>b", "ab\n"),
        ('<img src="x" alt="A picture">', "A picture\n"),
    ],
)
def test_html_becomes_markdown(html: str, text: str) -> None:
    assert markdown_of(html) == text


def test_no_tag_is_left_of_a_whole_statement() -> None:
    text = markdown_of((SET / "challenges/easy/1_saxpy/challenge.html").read_text())
    assert "<" not in text and "y becomes [3, 5, 7]" in text and "## Constraints" in text
