"""An excerpt of a source file around one line, with a marker on the line and a caret below the column."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from grader.boards.code import split_lines
from grader.compile.colours import coloured
from grader.terminal.console import TAB

_STYLES = {
    **dict.fromkeys(("c1", "cm"), "dim"),
    **dict.fromkeys(("s", "sc"), "yellow"),
    "k": "bright_blue",
    "kt": "cyan",
    "nb": "cyan",
    "cp": "dim",
    "mi": "bright_blue",
}


def excerpt(
    source: str,
    line: int,
    column: int | None = None,
    *,
    around: int = 2,
    width: int = 80,
    unicode: bool = True,
) -> Text:
    """Lines `line` - `around` to `line` + `around` of `source`, none wider than `width` characters.

    Lines and columns count from 1; columns count UTF-8 bytes, as compilers do. Empty if the source does not have the
    line.
    """
    lines = split_lines(source)
    if not 1 <= line <= len(lines):
        return Text()
    bar, arrow, cut = ("│", "❱", "…") if unicode else ("|", ">", "~")
    first, last = max(1, line - around), min(len(lines), line + around)
    digits = len(str(last))
    room = max(20, width - digits - 6)
    caret = None if column is None else _screen_column(lines[line - 1], column)
    # A long line and its neighbours are shifted until the caret is visible.
    shift = 0 if caret is None or caret < room - 8 else caret - room // 2
    shown = _highlighted(lines, first, last)
    text = Text()
    for number in range(first, last + 1):
        here = number == line
        text.append(f" {arrow if here else ' '} ", style="bold red" if here else "")
        text.append(f"{number:>{digits}} {bar} ", style="bold" if here else "dim")
        text.append_text(_cropped(shown[number - first], shift, room, cut))
        text.append("\n")
        if here and caret is not None:
            text.append(f"   {'':>{digits}} {bar} ", style="dim")
            text.append(" " * (caret - shift) + "^\n", style="bold red")
    text.right_crop(1)
    return text


def _highlighted(lines: Sequence[str], first: int, last: int) -> list[Text]:
    """Lines `first` to `last` highlighted as CUDA C++, lexed from the top because a comment may be long."""
    text = "\n".join(line.expandtabs(TAB) for line in lines[:last])
    parts = ((part, _STYLES.get(kind, "")) for kind, part in coloured(text))
    return list(Text.assemble(*parts).split("\n", allow_blank=True))[first - 1 : last]


def _screen_column(line: str, column: int) -> int:
    """The screen column, from 0 with tabs expanded, of the byte at `column` of `line`."""
    before = line.encode()[: max(0, column - 1)].decode(errors="ignore")
    return len(before.expandtabs(TAB))


def _cropped(line: Text, shift: int, room: int, cut: str) -> Text:
    if shift == 0 and line.cell_len <= room:
        return line
    part = line[shift : shift + room - 1] if shift < len(line) else Text()
    return part + Text(cut, style="dim") if shift + room - 1 < len(line) else part
