"""Statements and editorials as HTML."""

from __future__ import annotations

from grader.boards.markdown import editorial_html, statement_html

TABLE = "<!-- counts -->\n\n| file | sectors |\n|---|---:|\n| `a.cu` | 8 |\n\n<!-- end of counts -->\n"


def test_raw_html_is_text_and_lines_that_are_comments_are_left_out() -> None:
    text = str(statement_html(f"# Title\n\nA <b>bold</b> word, and <!-- no --> mark.\n\n{TABLE}"))
    assert "&lt;b&gt;bold" in text and "&lt;!-- no" in text
    assert "counts" not in text and "Title" not in text


def test_a_table_of_an_editorial_scrolls_by_keyboard_without_inline_styles() -> None:
    text = str(editorial_html(f"# Title\n\n{TABLE}"))
    assert 'tabindex="0">\n<table>' in text and text.rstrip().endswith("</table>\n</div>")
    assert '<td class="number">8</td>' in text and "style=" not in text
