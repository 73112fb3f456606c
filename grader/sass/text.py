"""Reads nvdisasm's two texts of a cubin: one with source lines (-gi), one with registers' live ranges (-plr).

It runs beside nvdisasm in the sandbox. What a hostile file name or symbol puts there makes wrong lines at worst.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

MOST_INSTRUCTIONS = 200_000
"""Instructions of one cubin at most: ten times the largest libraries of templates."""

_SECTION = re.compile(r"\s*\.section\s+\.text\.([^\s,]+),")
_LABEL = re.compile(r"([^\s:]+):")
_PLACE = re.compile(r'\s*//## File "(.*?)", line (\d{1,9})(?: inlined at "(.*?)", line (\d{1,9}))?')
_INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,8})\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)(.*);")
_LIVE_ADDRESS = re.compile(r"\s*/\*([0-9a-f]{4,8})\*/")
_TARGETS = re.compile(r'\(\*"[A-Z_]*TARGETS? ([^"]*)"\*\)')
_LOCAL_LABEL = re.compile(r"`\(([^)]*)\)")
_LIVE = "// |"
_FILES = ("R", "P", "UR", "UP")
"""Prefixes of the register files, in the order of the text's columns GPR, PRED, UGPR, UPRED."""
_HEADINGS = {"GPR": "R", "PRED": "P", "UGPR": "UR", "UPRED": "UP"}
_DIGIT = re.compile(r"#\s+(?=0)|#(?=\d)")


class TextError(ValueError):
    """The text is not as nvdisasm writes it."""


@dataclass
class Row:
    """One instruction as read; `jumps` are labels, and `line` is 0 where no line of the submission is known."""

    address: int
    predicate: str
    opcode: str
    operands: str
    line: int
    inner: str
    jumps: list[str] = field(default_factory=list)


@dataclass
class Section:
    """The code of one kernel: its instructions, and the addresses of labels."""

    rows: list[Row] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Registers:
    """What an instruction does with registers: reads, writes, and how many are in use, by file ("R", "UR", …)."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    live: Mapping[str, int]


def read_code(lines: Iterable[str], file: str) -> dict[str, Section]:
    """The code of each kernel, by symbol, from `nvdisasm -c -gi`. `file` is the submission's name in the cubin.

    Raises TextError for more than MOST_INSTRUCTIONS.
    """
    sections: dict[str, Section] = {}
    section = Section()
    waiting: list[str] = []
    # The places named since the last instruction: an inlined function's first, then where it was inlined.
    frames: list[tuple[str, int]] = []
    fresh = False
    line, inner, count = 0, "", 0
    for text in lines:
        if match := _INSTRUCTION.match(text):
            count += 1
            if count > MOST_INSTRUCTIONS:
                raise TextError(f"more than {MOST_INSTRUCTIONS:,} instructions")
            if fresh:
                line, inner = _own_line(frames, file, line)
            fresh = False
            address = int(match[1], 16)
            section.labels.update(dict.fromkeys(waiting, address))
            waiting = []
            operands, jumps = _operands(match[4])
            section.rows.append(Row(address, match[2] or "", match[3], operands, line, inner, jumps))
        elif match := _PLACE.match(text):
            if not fresh:
                frames, fresh = [], True
            frames.append((match[1], int(match[2])))
            if match[3] is not None:
                frames.append((match[3], int(match[4])))
        elif match := _SECTION.match(text):
            section = sections.setdefault(match[1], Section())
            line, inner, waiting = 0, "", []
        elif match := _LABEL.match(text):
            waiting.append(match[1])
    return sections


def _own_line(frames: list[tuple[str, int]], file: str, before: int) -> tuple[int, str]:
    """The submission's line and the header's inlined there. Code of headers alone belongs to the line before it."""
    own = next((number for place, number in frames if _base(place) == file), before)
    place, number = frames[0]
    return own, "" if _base(place) == file else f"{_base(place)}:{number}"


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _operands(text: str) -> tuple[str, list[str]]:
    """Operands, and the labels that are named in them or in the remark of an indirect jump."""
    jumps: list[str] = []
    if remark := _TARGETS.search(text):
        jumps += [one.strip() for one in remark[1].split(",")]
        text = text[: remark.start()] + text[remark.end() :]
    jumps += _LOCAL_LABEL.findall(text)
    # Blackwell's annotations of scheduling, which the control code has too.
    return re.split(r"\s[&?]", text, maxsplit=1)[0].strip(), jumps


def read_registers(lines: Iterable[str]) -> dict[str, dict[int, Registers]]:
    """What each instruction does with registers, by symbol and address, from `nvdisasm -c -plr -lrm narrow`."""
    found: dict[str, dict[int, Registers]] = {}
    rows: dict[int, Registers] = {}
    files: list[str] = []
    starts: list[int] = []
    for text in lines:
        text = text.rstrip("\n")
        if match := _SECTION.match(text):
            rows, files, starts = found.setdefault(match[1], {}), [], []
            continue
        place = text.rfind(_LIVE)
        if place < 0:
            continue
        cells = text[place + len(_LIVE) :].split("|")[:-1]
        if match := _LIVE_ADDRESS.match(text):
            if len(cells) != len(files) or len(cells) != len(starts):
                raise TextError("live ranges without their heading")
            rows[int(match[1], 16)] = _registers(cells, files, starts)
        elif not files and (named := [_HEADINGS.get(cell.strip(), "") for cell in cells]) and all(named):
            files = named
        elif not starts and all(_DIGIT.search(cell) for cell in cells):
            starts = [match.end() for cell in cells if (match := _DIGIT.search(cell))]
    return found


def _registers(cells: list[str], files: list[str], starts: list[int]) -> Registers:
    reads: list[str] = []
    writes: list[str] = []
    live = dict.fromkeys(_FILES, 0)
    for cell, file, start in zip(cells, files, starts, strict=True):
        for number, mark in _marks(cell, start):
            live[file] += 1
            if mark in "vx":
                reads.append(f"{file}{number}")
            if mark in "^x":
                writes.append(f"{file}{number}")
    return Registers(tuple(reads), tuple(writes), live)


def _marks(cell: str, start: int) -> Iterator[tuple[int, str]]:
    """The registers in use with their marks: ^ written, v read, x both, : in use."""
    for number, mark in enumerate(cell[start:].rstrip()):
        if mark != " ":
            yield number, mark
