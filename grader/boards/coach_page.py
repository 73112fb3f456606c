"""The page of an Explanation: advice, the source with a heat column for each count, PTX, machine code, and pictures of
requests.

One file that works offline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from grader.boards import code
from grader.boards.coach_picture import AccessPicture, draw
from grader.boards.files import write_files
from grader.boards.model_picture import draw as draw_model
from grader.boards.model_picture import shares_of_lines
from grader.boards.pages import Links
from grader.boards.replay import accesses_view
from grader.boards.templating import pages
from grader.boards.words import NOTHING, NOTHING_TO_GAIN, gain
from grader.coach.coach import Explanation
from grader.coach.lines import LineCounts, reads_of, refetch_ratio, total
from grader.coach.pattern import width_of
from grader.core.errors import WorkspaceError
from grader.run.emulator.counts import RowCounts
from grader.sass import LineCode
from grader.store.workspace import Workspace

TEMPLATE = "explain.html"
MOST_PICTURES = 40
MOST_INSTRUCTIONS = 20_000
"""Machine instructions on a page at most: those of a library of templates would take megabytes."""
LEVELS = 5


@dataclass(frozen=True)
class Heat:
    """One number of a line; `share` is its ratio to the largest of its column, and `level` that ratio from 0 to 5."""

    text: str
    share: float
    level: int


@dataclass(frozen=True)
class SourceLine:
    """A line of the source: `cells` match the page's columns, None if the line has no such count.

    `machine` is the machine code of each kernel that has some of this line, with the kernel's name.
    """

    number: int
    html: Markup
    cells: tuple[Heat | None, ...]
    rows: tuple[RowCounts, ...]
    machine: tuple[tuple[str, LineCode], ...] = ()


def _each(part: str, whole: str) -> Callable[[LineCounts], float | None]:
    def value(line: LineCounts) -> float | None:
        requests = getattr(line.totals, whole)
        return getattr(line.totals, part) / requests if requests else None

    return value


COLUMNS: tuple[tuple[str, Callable[[LineCounts], float | None]], ...] = (
    ("Instructions", lambda line: line.totals.executed),
    ("Bytes moved", lambda line: line.totals.moved if line.totals.requests else None),
    ("Sectors a request", _each("sectors", "requests")),
    ("would do", _each("ideal_sectors", "requests")),
    ("Bank conflicts, ways", lambda line: line.ways if line.totals.shared_requests else None),
    ("Wavefronts", lambda line: line.totals.wavefronts if line.totals.shared_requests else None),
    ("Divergent branches", lambda line: line.totals.divergent if line.totals.branches else None),
)


def write_page(explanation: Explanation, path: Path, workspace: Workspace) -> Path:
    """Writes the page and returns its path. Raises WorkspaceError if it can't be written."""
    text = render(explanation, workspace.template_folders)
    try:
        write_files(path.parent, [(path.name, text)])
    except WorkspaceError as error:
        raise WorkspaceError(error.message, f"type another file after --html, such as {path.name}") from error
    return path


def render(explanation: Explanation, template_folders: Sequence[Path] = (), *, links: Links | None = None) -> str:
    """The page's HTML; with `links` it leads back to a site."""
    lines = _merged(explanation)
    machine = _machine_code(explanation)
    shares = shares_of_lines(explanation.model)
    modelled = ("Model time, %", lambda line: shares.get(line.line))
    every = (*COLUMNS, modelled)
    columns = [(name, value) for name, value in every if any(value(line) is not None for line in lines.values())]
    return pages(tuple(template_folders)).render(
        TEMPLATE,
        explanation=explanation,
        links=links,
        model=None if explanation.model is None else draw_model(explanation.model),
        columns=[name for name, _ in columns],
        lines=list(_listing(explanation, lines, machine, [value for _, value in columns])),
        has_machine_code=bool(machine),
        pictures=list(_pictures(lines)),
        player=None if explanation.replay is None else accesses_view(explanation.replay, _widths(lines)),
        nothing=NOTHING_TO_GAIN if explanation.model is not None and explanation.model.seconds else NOTHING,
        gain=gain,
        reads_of=reads_of,
        refetched=refetch_ratio,
    )


def _widths(lines: dict[int, LineCounts]) -> dict[int, int]:
    """Bytes of a lane's widest access, by line."""
    widths = {number: max(map(width_of, line.rows), default=0) for number, line in lines.items()}
    return {number: width for number, width in widths.items() if width}


def _merged(explanation: Explanation) -> dict[int, LineCounts]:
    """The lines of all kernels; counts of lines shared by several kernels are added up."""
    merged: dict[int, LineCounts] = {}
    for line in (line for kernel in explanation.kernels for line in kernel.lines):
        before = merged.get(line.line)
        rows = (*before.rows, *line.rows) if before else line.rows
        merged[line.line] = LineCounts(line.line, total(rows), max(row.ways for row in rows), rows)
    return merged


def _machine_code(explanation: Explanation) -> dict[int, list[tuple[str, LineCode]]]:
    """The machine code of each line with its kernels' names; none if it is too much for a page."""
    codes = {one.machine.symbol: (one.name, one.machine) for one in explanation.kernels if one.machine is not None}
    found: dict[int, list[tuple[str, LineCode]]] = {}
    if sum(len(machine.code) for _, machine in codes.values()) > MOST_INSTRUCTIONS:
        return found
    for name, machine in codes.values():
        for line in machine.by_line():
            found.setdefault(line.line, []).append((name, line))
    return found


def _listing(
    explanation: Explanation,
    lines: dict[int, LineCounts],
    machine: dict[int, list[tuple[str, LineCode]]],
    values: Sequence[Callable[[LineCounts], float | None]],
) -> Iterator[SourceLine]:
    most = [max((value(line) or 0.0 for line in lines.values()), default=0.0) for value in values]
    for number, html in enumerate(code.highlight(explanation.source, explanation.language), start=1):
        line = lines.get(number)
        code_of_line = tuple(machine.get(number, ()))
        if line is None:
            yield SourceLine(number, html, (None,) * len(values), (), code_of_line)
            continue
        cells = tuple(_heat(value(line), largest) for value, largest in zip(values, most, strict=True))
        yield SourceLine(number, html, cells, tuple(row for row in line.rows if row.executed), code_of_line)


def _heat(value: float | None, most: float) -> Heat | None:
    if value is None:
        return None
    share = value / most if most else 0.0
    text = f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
    return Heat(text, share, round(share * LEVELS) if value else 0)


def _pictures(lines: dict[int, LineCounts]) -> Iterator[AccessPicture]:
    """Yields pictures of the most expensive accesses, without repeating equal patterns of a line."""
    rows = [row for line in lines.values() for row in line.rows if row.sample is not None]
    rows.sort(key=lambda row: -(row.sectors + row.wavefronts))
    seen: set[tuple[object, ...]] = set()
    chosen: list[RowCounts] = []
    for row in rows:
        assert row.sample is not None
        first = next(offset for offset in row.sample.offsets if offset is not None)
        shape = tuple(None if offset is None else offset - first for offset in row.sample.offsets)
        key = (row.line, row.opcode, row.array, row.shared_array, shape)
        if key not in seen and len(chosen) < MOST_PICTURES:
            seen.add(key)
            chosen.append(row)
    for row in chosen:
        picture = draw(row)
        if picture is not None:
            yield picture
