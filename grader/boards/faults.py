"""The index of faults: a page for each fault, each kind of wrong answer, and each verdict that has neither.

The texts are `docs/faults/WORD.md`, each with a picture `WORD.svg`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from markupsafe import Markup

from grader.boards.markdown import statement_html
from grader.core.errors import UsageError
from grader.core.report import Report
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.store.workspace import builtin_folder

WORDS: tuple[str, ...] = (
    *(str(fault) for fault in FaultClass),
    *(str(kind) for kind in WrongKind),
    *(
        str(verdict)
        for verdict in Verdict
        if verdict not in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR)
    ),
)
"""What there are pages of. The other verdicts are told by the fault or the kind."""

_PICTURE = re.compile(r"^!\[(?P<alt>[^\]]*)\]\(\w+\.svg\)\n\n", re.M)


@dataclass(frozen=True)
class FaultPage:
    """The page of one word. `text` is Markdown with its title and without its picture."""

    word: str
    title: str
    text: str
    picture: Markup

    @cached_property
    def html(self) -> Markup:
        """The text as HTML with the picture after its first paragraph, without the title."""
        # What scrolls sideways has to be reached by keyboard.
        whole = str(statement_html(self.text)).replace("<pre>", '<pre tabindex="0">')
        first, _, rest = whole.partition("</p>")
        drawn = f'<div class="wide" role="region" aria-label="Picture" tabindex="0">{self.picture}</div>'
        return Markup(f"{first}</p>\n{drawn}{rest}")

    @property
    def summary(self) -> str:
        """The first sentence of what it is."""
        paragraph = self.text.split("\n\n")[1].replace("\n", " ").replace("`", "")
        return re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]


def read_fault(word: str) -> FaultPage:
    """The page of a word. Raises UsageError, suggesting the nearest, for one that has none."""
    known = word.replace("-", "_").casefold()
    if known not in WORDS:
        close = get_close_matches(known, WORDS, n=1, cutoff=0.5)
        guess = f" Did you mean '{close[0]}'?" if close else ""
        raise UsageError(f"there is no page about '{word}'.{guess}", "type: kgrade help")
    folder = builtin_folder("docs") / "faults"
    text = (folder / f"{known}.md").read_text("utf-8")
    picture = (folder / f"{known}.svg").read_text("utf-8")
    return FaultPage(known, text.split("\n", 1)[0].removeprefix("# "), _PICTURE.sub("", text), Markup(picture))


def word_of(report: Report) -> str:
    """The word whose page tells what is wrong with a submission; empty for an accepted one."""
    found = report.fault.fault if report.fault else report.kind
    word = str(found or report.verdict)
    return word if word in WORDS else ""
