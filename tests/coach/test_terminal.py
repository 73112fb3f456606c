"""The explanation in a terminal: advice with its line, what is good, and the counts of each line in 80 columns."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from grader.coach.coach import Explanation
from grader.coach.lines import Totals
from grader.terminal import ascii
from grader.terminal.explain import print_explanation, short
from tests.sass.samples import kernel as machine_code

from .samples import EXPLANATIONS, STRIDED, WIDE, explanation, kernel


def printed(
    explanation: Explanation, page: Path | None = None, encoding: str = "utf-8", with_machine_code: bool = False
) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=ascii.ERRORS)
    console = Console(file=stream, width=80, highlight=False, markup=False, emoji=False)
    print_explanation(explanation, console, page, with_machine_code)
    stream.seek(0)
    return stream.read()


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_no_line_is_wider_than_the_terminal(name: str) -> None:
    assert max(len(line.rstrip()) for line in printed(EXPLANATIONS[name]()).splitlines()) <= 80


def test_advice_first_then_counts() -> None:
    text = printed(EXPLANATIONS["transpose"]())
    assert "1. line 8, bank conflict: 32-way bank conflict on tile" in " ".join(text.split())
    assert text.index("bank conflict") < text.index("✓") < text.index("sect/req")
    assert "→ pad the row: lanes 32 elements apart" in text
    assert "occupancy 33%, limited by registers" in " ".join(text.split())


def test_counts_of_a_line() -> None:
    (line,) = (line for line in printed(EXPLANATIONS["transpose"]()).splitlines() if line.startswith("   8"))
    # 128 warps: a store of 128 bytes each, and a read of shared memory in 32 wavefronts each.
    assert line.split()[2:8] == ["16,384", "4", "4", "32", "4,096", "y[blockIdx.x"]


def test_copies_and_barriers_are_told_where_there_are_any() -> None:
    copied = replace(kernel(WIDE), totals=Totals(executed=640, requests=64, copies=32, barriers=16))
    text = " ".join(printed(explanation(copied, source=WIDE)).split())
    assert "global 64 requests" in text and "copied 32 of these requests" in text and "barriers 16, each" in text
    assert not {"copied", "barriers"} & set(printed(EXPLANATIONS["wide"]()).split())


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (99_999, "99,999"),
        (100_000, "100 k"),
        (557_056, "557 k"),
        (999_499, "999 k"),
        (999_600, "1 M"),
        (16_777_216, "16.8 M"),
        (33_000_000_000, "33 G"),
        (5_000_000_000_000, "5,000 G"),
    ],
)
def test_short_numbers(number: int, text: str) -> None:
    assert short(number) == text


def test_a_kernel_without_advice_is_told_so() -> None:
    assert "Nothing was found to change." in printed(EXPLANATIONS["wide"]())
    assert "Nothing was found to change." not in printed(EXPLANATIONS["transpose"]())


def test_a_wrong_answer_stands_on_top() -> None:
    assert "wrong_answer: Wrong answer: y[0]" in printed(EXPLANATIONS["strided"]())


def test_no_kernel_and_the_page(tmp_path: Path) -> None:
    text = printed(EXPLANATIONS["none"](), tmp_path / "a.html")
    assert "It launches no kernel" in text and str(tmp_path / "a.html") in text


def test_ascii_terminals_get_ascii() -> None:
    text = printed(EXPLANATIONS["two"](), encoding="ascii")
    assert "ok coalescing" in text and "256 x 1 x 1" in text


def test_machine_code_stands_by_line() -> None:
    machine = machine_code()
    found = explanation(replace(kernel(WIDE), machine=machine), kernel(STRIDED), source=WIDE)
    text = printed(found, with_machine_code=True)
    assert max(map(len, text.splitlines())) <= 80
    assert f"{len(machine.code)} instructions" in text and "made no machine code" in text
    assert sum("DFMA R" in line for line in text.splitlines()) == machine.opcodes()["DFMA"]
    assert "Machine code" not in printed(found)
