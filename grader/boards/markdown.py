"""Markdown of statements, editorials and pages about faults, as HTML."""

from __future__ import annotations

from markupsafe import Markup


def statement_html(text: str) -> Markup:
    """Converts a Markdown statement to HTML. Raw HTML is escaped, and pictures become links, so that no other server
    is contacted.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(text)
    if len(tokens) > 2 and tokens[0].tag == "h1":
        # The page has the title already.
        tokens = tokens[3:]
    for token in tokens:
        # Its sections stand right below the page's title.
        if token.tag == "h1":
            token.tag = "h2"
    return Markup(parser.renderer.render(tokens, parser.options, {}))
