"""A Report that a notebook shows: as its page in a frame of its own, in a terminal as `kgrade test` prints it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

from grader.core.report import Report

if TYPE_CHECKING:
    from typing_extensions import Self

HEIGHT = "36rem"
TERMINAL = 80
"""Columns of the text where there is no page."""


@dataclass(frozen=True, repr=False)
class ShownReport(Report):
    """A Report with what IPython and Jupyter look for to show it."""

    @classmethod
    def of(cls, report: Report) -> Self:
        return cls(**{field.name: getattr(report, field.name) for field in fields(report)})

    def __repr__(self) -> str:
        return f"<Report of {self.problem}: {self.verdict}>"

    def __str__(self) -> str:
        """The report as `kgrade test` prints it, without colours."""
        from rich.console import Console

        from grader.terminal.report import print_report

        text = StringIO()
        plain = Console(
            file=text,
            width=TERMINAL,
            color_system=None,
            highlight=False,
            emoji=False,
            markup=False,
            # Elsewhere rich shows what it prints in the notebook, whatever file it was given.
            force_jupyter=False,
        )
        print_report(self, plain)
        return text.getvalue()

    def _repr_html_(self) -> str:
        """The report's page in a frame: its style stays inside, and the frame is no part of the notebook.

        Only a page with a replay may run scripts there: kgrade's own, which are all that the page's policy allows.
        """
        from grader.boards.pages import render_report

        # In such a frame a bare fragment leads to the notebook's own address.
        page = escape(render_report(self).replace(' href="#', ' href="about:srcdoc#'), quote=True)
        allowed = "allow-scripts" if self.replay is not None and self.replay.packed else ""
        return (
            f'<iframe sandbox="{allowed}" srcdoc="{page}" title="Report of {escape(self.problem)}" '
            f'style="width: 100%; height: {HEIGHT}; border: 0"></iframe>'
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self).rstrip("\n"))
