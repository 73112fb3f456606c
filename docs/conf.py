"""How `make docs` builds the site: Sphinx, since its pages and its search work from disk, with no network."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from grader import __version__

ROOT = Path(__file__).resolve().parent.parent

project = "kgrade"
html_title = f"kgrade {__version__}"
html_theme = "furo"
html_copy_source = False
html_show_copyright = False
# What is shown of commands is what one types.
smartquotes = False
extensions = ["myst_parser", "sphinx_click"]
myst_heading_anchors = 3
# A link that leads nowhere is a warning, and a warning ends the build.
nitpicky = True

PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
"""Files of the repository's root, and the pages that show them in the place of their mark."""


def setup(app: Sphinx) -> None:
    app.connect("source-read", show_file)


def show_file(app: Sphinx, page: str, source: list[str]) -> None:
    """Put a file of the root where its mark stands, its links led to where the pages are."""

    def text_of(mark: re.Match[str]) -> str:
        text = (ROOT / mark[1]).read_text(encoding="utf-8").replace("](docs/", "](")
        for file, shown_as in PAGES.items():
            text = text.replace(f"]({file}", f"]({shown_as}")
        return text

    source[0] = re.sub(r"<!-- file: (.+?) -->", text_of, source[0])
