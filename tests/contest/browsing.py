"""A real browser for the tests of the site, and what they do with its pages."""

from __future__ import annotations

import shutil
from typing import Any

INSTALL = "pip install -e .[dev]"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def open_page(
    browser: Any, address: str, complaints: list[str], width: int = 1200, scheme: str = "light", height: int = 800
) -> Any:
    """A new page with cookies of its own; what it logs as an error goes to `complaints`."""
    page = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, base_url=address or None
    ).new_page()
    page.set_default_timeout(60_000)
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


def editor_of(page: Any) -> Any:
    """The editor of a problem's page, once it has taken the place of the plain field."""
    page.locator(".cm-lineNumbers").wait_for()
    return page.get_by_label("Your code")
