"""The Jinja2 environment of all pages: the sources of templates, and their filters and globals.

A workspace's templates override kgrade's templates of the same name. Everything is escaped, and a page's
Content-Security-Policy forbids whatever is not in the page itself: markup that a workspace's template lets through
still runs no script and contacts no other server.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined, TemplateError
from markupsafe import Markup

import grader
from grader.boards.words import FILTERS, LANGUAGES
from grader.core.errors import WorkspaceError
from grader.core.verdict import Verdict
from grader.store.workspace import builtin_folder

SCRIPT, STYLE = "theme.js", "style.css"
PLAYER_SCRIPT, PLAYER_STYLE = "player.js", "player.css"
"""The files of pages that play a replay."""


class Pages:
    """Renders templates by name."""

    def __init__(self, template_folders: Iterable[Path] = ()) -> None:
        folders = [*template_folders, builtin_folder("templates")]
        self._environment = Environment(
            loader=ChoiceLoader([FileSystemLoader(folder) for folder in folders]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(FILTERS, facts=lambda word: Verdict(word).facts)
        self._environment.globals["all_languages"] = tuple(LANGUAGES)
        with naming_the_template():
            style, script = self._environment.get_template(STYLE).render(), self._text(SCRIPT)
            player_style, player_script = (
                self._environment.get_template(name).render() for name in (PLAYER_STYLE, PLAYER_SCRIPT)
            )
        self.policy = (
            f"default-src 'none'; style-src 'unsafe-inline'; script-src {_digest(script)} {_digest(player_script)}; "
            "base-uri 'none'; form-action 'none'"
        )
        """The Content-Security-Policy of pages with inline script and style."""
        self._environment.globals.update(
            version=grader.__version__,
            # These files are inlined in the pages, so that a page can be passed on by itself.
            style=Markup(style),
            script=Markup(script),
            player_style=Markup(player_style),
            player_script=Markup(player_script),
            policy=self.policy,
        )

    def render(self, template: str, **values: Any) -> str:
        """Renders a page. Raises WorkspaceError with name and line if a template has a mistake."""
        with naming_the_template():
            return self._environment.get_template(template).render(**values)

    def load(self, template: str) -> None:
        """Compiles a template in advance. Raises WorkspaceError as `render` does."""
        with naming_the_template():
            self._environment.get_template(template)

    def load_all(self, folder: str) -> None:
        """Compiles the templates in a folder in advance. Raises WorkspaceError as `render` does."""
        for name in self._environment.list_templates(filter_func=lambda name: name.startswith(f"{folder}/")):
            self.load(name)

    @property
    def fingerprint(self) -> str:
        """A hash of the templates and the version: pages with a different one are out of date."""
        digest = sha256(grader.__version__.encode())
        for name in sorted(self._environment.list_templates()):
            digest.update(f"\0{name}\0{self._text(name)}".encode())
        return digest.hexdigest()

    def _text(self, name: str) -> str:
        loader = self._environment.loader
        assert loader is not None
        return loader.get_source(self._environment, name)[0]


def _digest(script: str) -> str:
    """The script's source expression in a policy."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


@lru_cache(maxsize=4)
def pages(template_folders: tuple[Path, ...] = ()) -> Pages:
    return Pages(template_folders)


@contextmanager
def naming_the_template() -> Iterator[None]:
    """Turns a mistake in a template into a WorkspaceError that names file and line."""
    try:
        yield
    except TemplateError as error:
        place = _place(error)
        raise WorkspaceError(
            f"the template {place} can't be used: {error.message or type(error).__name__}",
            "correct it, or remove it from the workspace's templates/ to use the one of kgrade",
        ) from error


def _place(error: TemplateError) -> str:
    """File and line of the mistake; Jinja2 puts the template's own frames into the traceback."""
    name, line = (
        getattr(error, "filename", None) or getattr(error, "name", None),
        getattr(error, "lineno", None),
    )
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith((".html", ".css", ".js")):
            name, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return f"{name}:{line}" if line else str(name)
