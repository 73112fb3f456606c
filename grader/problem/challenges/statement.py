"""Converts a challenge's HTML statement to Markdown, for terminals and for pages that accept no foreign HTML.

Formulas stay as written; pictures become their alternative text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser

Attributes = list[tuple[str, str | None]]

OPENING: Mapping[str, str] = {
    **dict.fromkeys(("p", "div", "section", "table", "pre", "ul", "ol", "blockquote"), "\n\n"),
    **dict.fromkeys(("h1", "h2", "h3"), "\n\n## "),
    **dict.fromkeys(("h4", "h5", "h6"), "\n\n### "),
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em"), "*"),
    "code": "`",
    "li": "\n- ",
    "br": "\n",
    "tr": "\n",
    "td": " ",
    "th": " ",
    "sup": "^",
    "sub": "_",
}
CLOSING: Mapping[str, str] = {
    **dict.fromkeys(("p", "div", "section", "table", "ul", "ol", "blockquote"), "\n\n"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "\n\n"),
    **{tag: OPENING[tag] for tag in ("b", "strong", "i", "em", "code")},
}
HIDDEN = ("script", "style", "svg", "head")


def markdown_of(html: str) -> str:
    """Converts an HTML page or fragment to Markdown."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    text = re.sub(r"[ \t]+\n", "\n", "".join(reader.parts))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._pre = False
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if tag in HIDDEN:
            self._hidden += 1
        elif tag == "pre":
            self.parts.append("\n\n```\n")
            self._pre = True
        elif tag == "img":
            self.parts.append(dict(attrs).get("alt") or "")
        elif not self._pre:
            self.parts.append(OPENING.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "pre":
            self.parts.append("\n```\n\n")
            self._pre = False
        elif not self._pre:
            self.parts.append(CLOSING.get(tag, ""))

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._pre:
            # HTML ignores a line break right after <pre>.
            self.parts.append(data.removeprefix("\n") if self.parts[-1].endswith("```\n") else data)
            return
        words = re.sub(r"\s+", " ", data)
        begins = not self.parts or self.parts[-1].endswith(("\n", " "))
        self.parts.append(words.lstrip() if begins else words)
