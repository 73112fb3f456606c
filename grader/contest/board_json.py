"""Writes the API's scoreboard as JSON row by row, fast enough for a thousand students asking at once.

The text is that of `api_shapes.Scoreboard`; creating those objects first would take longer than everything else that
the server does then.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from grader.contest.scoreboard import Cell

if TYPE_CHECKING:
    from grader.contest.live import Board


class BoardWriter:
    """Writes the boards of one contest, and caches the part of each row that does not depend on its rank."""

    def __init__(self, slug: str) -> None:
        self._slug = slug
        self._kept: dict[str, tuple[Sequence[Cell], str]] = {}

    def __call__(self, board: Board) -> bytes:
        kept, self._kept = self._kept, {}
        rows = []
        for row in board.rows:
            known = kept.get(row.who)
            if known is None or known[0] is not row.cells:
                fields = {"name": row.who, "points": vars(row.points), "cells": list(map(_cell, row.cells))}
                # Without the opening brace: the rank, which changes most often, is put in front.
                known = row.cells, json.dumps(fields)[1:]
            self._kept[row.who] = known
            rows.append(f'{{"rank": {row.rank}, {known[1]}')
        head = json.dumps({"contest": self._slug, "frozen": board.frozen})
        return f'{head[:-1]}, "rows": [{", ".join(rows)}]}}'.encode()


def _cell(cell: Cell) -> dict[str, object]:
    return {
        "problem": cell.problem,
        "points": vars(cell.points),
        "verdict": cell.entry.verdict if cell.entry else None,
        "language": cell.entry.language if cell.entry else None,
        "attempts": cell.attempts,
        "pending": cell.pending,
        "hidden": cell.hidden,
        "parts": [{"group": each.group, "points": vars(each.points), "most": each.most} for each in cell.parts],
    }
