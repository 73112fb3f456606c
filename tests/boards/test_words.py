"""How pages say numbers and names."""

import math
import shlex

import pytest

from grader.boards import words
from grader.report import Interval

from .samples import accepted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (-2.5, "−2.5"),
        (math.nan, "NaN"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (1 / 3, "0.333333333"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.0004, "< 0.001"), (0.25, "0.25"), (1.5, "1.5"), (516.2, "516"), (12345.6, "12,346"),
        (3.4e7, "3.4 × 10⁷"), (1e300, "1.0 × 10³⁰⁰"), (math.inf, "∞"), (math.nan, "NaN"),
    ],
)  # fmt: skip
def test_units(value: float, text: str) -> None:
    assert words.units(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1.5, "1.50 s"),
        (0.0123, "12.3 ms"),
        (2e-6, "2.00 µs"),
        (3e-10, "0.300 ns"),
        (1234, "1,234 s"),
        (0.134, "134 ms"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


def test_interval() -> None:
    assert words.interval(Interval(2e-3, 1.95e-3, 2.1e-3)) == "1.95 ms to 2.10 ms"


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (100, "100 B"), (2048, "2 KiB"), (1500, "1,500 B")])
def test_memory(size: int, text: str) -> None:
    assert words.memory(size) == text


def test_a_user_without_a_name_and_with_a_turned_one() -> None:
    assert words.name("  ") == "anonymous"
    assert words.name("ad\u202ea\0") == "ad‹U+202E›a‹U+0000›"
    assert words.name("Ada Łovelace 名前") == "Ada Łovelace 名前"


@pytest.mark.parametrize("file", ["a.cu", "my file.cu", "$(reboot).cu", "it's.cu"])
def test_the_command_to_repeat_can_be_pasted(file: str) -> None:
    report = accepted(file=file)
    assert shlex.split(words.repeat_command(report, report.cases[1])) == [
        "kgrade", "test", "matmul", file, "--case", "M=17,N=1,K=3", "--seed", "123",
    ]  # fmt: skip
