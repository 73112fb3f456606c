"""Markdown of statements, editorials and pages about faults, as HTML."""

from __future__ import annotations

import re

from markupsafe import Markup

_MARK = re.compile(r"^<!--.*-->\n", re.MULTILINE)
"""A line that is for programs: what stands between two of them is written by a script."""


def statement_html(text: str) -> Markup:
    """Converts a Markdown statement to HTML, without its comments. Raw HTML is escaped, and pictures become links, so
    that no other server is contacted.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(_MARK.sub("", text))
    if len(tokens) > 2 and tokens[0].tag == "h1":
        # The page has the title already.
        tokens = tokens[3:]
    for token in tokens:
        # Its sections stand right below the page's title.
        if token.tag == "h1":
            token.tag = "h2"
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def editorial_html(text: str) -> Markup:
    """Converts an editorial to HTML as `statement_html` does; its tables scroll sideways, by keyboard too.

    Columns aligned to the right get a class, since the site's policy allows no inline styles.
    """
    start = '<div class="wide" role="region" aria-label="Figures" tabindex="0">\n<table>'
    html = str(statement_html(text)).replace('style="text-align:right"', 'class="number"')
    return Markup(html.replace("<table>", start).replace("</table>", "</table>\n</div>"))
