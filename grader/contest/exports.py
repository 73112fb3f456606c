"""Exports a contest's results to other systems: CSV, Gradescope's results.json, Autolab's line of scores.

Pure functions of scoreboard rows, which already decide which entries count; they write no files.

Formats: Gradescope, Autograder specifications, "Output format"; Autolab, Guide for lab authors, "Scoreboard".
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timezone
from urllib.parse import quote

from grader.boards.words import label, language, spreadsheet_cell, visible
from grader.contest.scoreboard import Cell, Row
from grader.contest.standing import Results

DIGITS = 4
_COLUMNS = ("points", "verdict", "language", "submission", "submitted", "attempts")


def to_csv(results: Results) -> str:
    """One line per participant, best first: rank, name, email, points, and the result of each problem.

    The disqualified come last, without rank and points, with the reason. Where scores are those of model times, a
    column says so.
    """
    settings = results.settings
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    head = ["rank", "name", "email", "points", "points_low", "points_high", "disqualified"]
    scored_by = [settings.scored_by] if settings.scored_by else []
    head += ["scores_by"] * len(scored_by)
    for problem in settings.problems:
        head += [f"{problem.name}_{column}" for column in _COLUMNS]
    writer.writerow(head)
    for row in results.rows:
        reason = results.reasons.get(row.who, "")
        line: list[object] = [
            "" if reason else row.rank,
            spreadsheet_cell(row.who),
            spreadsheet_cell(results.emails.get(row.who, "")),
        ]
        line += [_figure(x) for x in (row.points.value, row.points.low, row.points.high)]
        line += [spreadsheet_cell(reason), *scored_by]
        for cell in row.cells:
            line += [_figure(cell.points.value), _verdict(cell), _language(cell), *_which(cell), cell.attempts]
        writer.writerow(line)
    return out.getvalue()


def to_gradescope(results: Results, row: Row) -> str:
    """One participant's results.json: a test per problem, with points and a sentence about the result."""
    settings, reason = results.settings, results.reasons.get(row.who)
    tests = [
        {
            "name": problem.title or problem.name,
            "number": str(number),
            "score": round(cell.points.value, DIGITS),
            "max_score": problem.weight,
            "status": "passed" if cell.is_accepted and reason is None else "failed",
            "output": _sentence(cell),
        }
        for number, (problem, cell) in enumerate(zip(settings.problems, row.cells, strict=True), start=1)
    ]
    points = "points by model time" if settings.by_model else "points"
    return json.dumps(
        {
            "score": round(row.points.value, DIGITS),
            "output": f"{visible(settings.title)}: {row.points.value:.4g} of {settings.most_points:g} points"
            + (f"; disqualified: {visible(reason)}" if reason is not None else "")
            + (f"; scores by {settings.scored_by}" if settings.scored_by else ""),
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": tests,
            "leaderboard": [
                {
                    "name": points,
                    "value": round(row.points.value, DIGITS),
                    "order": "desc",
                }
            ],
        },
        indent=2,
    )


def to_autolab(results: Results, row: Row) -> str:
    """One participant's line of scores, the last line of an Autolab autograder; problem names must match the lab's.

    The disqualified have no points, and no place on the lab's scoreboard. Where scores are those of model times, a line
    before it says so, as part of what the student reads.
    """
    scores = {cell.problem: round(cell.points.value, DIGITS) for cell in row.cells}
    told: dict[str, object] = {"scores": scores}
    if row.who not in results.reasons:
        told["scoreboard"] = [round(row.points.value, DIGITS), *scores.values()]
    by = results.settings.scored_by
    return (f"Scores by {by}.\n" if by else "") + json.dumps(told)


@dataclass(frozen=True)
class ForEach:
    """A format with one file per participant: the function that writes it, and the file's suffix."""

    write: Callable[[Results, Row], str]
    suffix: str


FOR_ALL: Mapping[str, Callable[[Results], str]] = {"csv": to_csv}
FOR_EACH: Mapping[str, ForEach] = {"gradescope": ForEach(to_gradescope, "json"), "autolab": ForEach(to_autolab, "txt")}


def files_of(kind: str, results: Results) -> dict[str, str]:
    """The files of a format with one for each participant, named by their e-mail addresses."""
    each = FOR_EACH[kind]
    # An address may contain characters that are special in a path.
    return {
        f"{quote(address, safe='@+')}.{each.suffix}": each.write(results, row)
        for row in results.rows
        for address in results.emails[row.who].split()
    }


def _verdict(cell: Cell) -> str:
    if cell.entry is None or cell.entry.verdict is None:
        return "hidden" if cell.hidden else "pending" if cell.pending else ""
    return str(cell.entry.verdict)


def _language(cell: Cell) -> str:
    return (cell.entry.language or "") if cell.entry is not None else ""


def _which(cell: Cell) -> tuple[object, str]:
    if cell.entry is None:
        return "", ""
    return cell.entry.id, cell.entry.submitted.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _sentence(cell: Cell) -> str:
    groups = [f"{part.words} {part.points.value:.4g} of {part.most:g}" for part in cell.parts]
    return "; ".join([_result(cell), *groups])


def _result(cell: Cell) -> str:
    if cell.entry is None or cell.entry.verdict is None:
        return {"": "nothing was submitted"}.get(_verdict(cell), _verdict(cell))
    within = f", in {language(cell.entry.language)}" if cell.entry.language else ""
    return f"submission {cell.entry.id}: {label(cell.entry.verdict)}{within}"


def _figure(value: float) -> str:
    return f"{value:.{DIGITS}f}"
