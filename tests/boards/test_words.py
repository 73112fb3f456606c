"""How pages say numbers and names."""

import math
import re
import shlex
from dataclasses import replace

import pytest

from grader.boards import words
from grader.check import tolerance
from grader.core.report import Interval

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
    assert words.interval(Interval(2e-3, 1.95e-3, 2.1e-3)) == "1.95 to 2.10 ms"
    assert words.interval(Interval(1e-3, 999e-6, 1.01e-3)) == "999 µs to 1.01 ms"


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
    # What was given is given again, each size once.
    assert "--case" not in words.repeat_command(report)
    given = replace(report, cases=(*report.cases[:2], report.cases[1]), own_sizes=True)
    assert words.repeat_command(given).count("--case") == 2 and "--case M=17,N=1,K=3" in words.repeat_command(given)


@pytest.mark.parametrize(
    ("value", "text"),
    [(4.31e12, "4.31 TB/s"), (5.12e13, "51.2 TB/s"), (8.12e11, "812 GB/s"), (1e15, "1.00 PB/s"), (1, "1 B/s")],
)
def test_quantities(value: float, text: str) -> None:
    assert words.quantity(value, "B/s") == text


@pytest.mark.parametrize(("value", "text"), [(5.278e12, "5,278"), (7.73e9, "7.73"), (1e11, "100"), (8.06e8, "0.806")])
def test_rates_in_a_column(value: float, text: str) -> None:
    assert words.giga(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "10.0 %"), (1.0, "100 %"), (1.07, "107 %"), (0, "0 %"), (0.005, "0.500 %")]
)
def test_shares(value: float, text: str) -> None:
    assert words.percent(value) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ((1.0, 0.999, 1.002), "± 0.20 %"),
        ((1.0, 0.9, 1.2), "± 20 %"),
        ((2.0, 2.0, 2.0), "± 0.01 %"),
        ((0.0, 0.0, 0.0), ""),
    ],
)
def test_spreads_are_the_larger_side(interval: tuple[float, float, float], text: str) -> None:
    assert words.spread(Interval(*interval)) == text


def test_bounds_tell_a_thousandth_apart() -> None:
    assert words.bounds(Interval(1.24e-6, 1.2388e-6, 1.2425e-6)) == "1.2388 to 1.2425 µs"
    assert words.bounds(Interval(1.5, 1.4999, 1.5002)) == "1.4999 to 1.5002 s"
    assert words.bounds(Interval(5e-10, 5e-10, 5e-10)) == "0.50000 to 0.50000 ns"
    assert words.bounds(Interval(45.6e-6, 45.51e-6, 45.647e-6)) == "45.510 to 45.647 µs"
    assert words.between(Interval(1.0002, 0.9991, 1.0011)) == "0.9991 to 1.0011"


@pytest.mark.parametrize(("ratio", "text"), [(0.98765, "0.988"), (7.4273, "7.43"), (151.4, "151")])
def test_times_the_baseline(ratio: float, text: str) -> None:
    assert words.factor(Interval(ratio, ratio, ratio)) == text


def test_clocks() -> None:
    assert words.clocks((1410.0, 1980.0)) == "1,410 to 1,980 MHz"
    assert words.clocks((1980.0, 1980.0)) == "1,980 MHz"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "C[0, 1] is off by 4,859 u where 32 u are allowed",
            "C[0, 1] is off by 4,859 rounding errors where 32 rounding",
        ),
        ("off by 1.5e+06 u where 1 u is", "off by 1.5e+06 rounding errors where 1 rounding error is"),
        ("gate G2", "outputs compared all elements together, within what rounding explains"),
        ('the inputs are of the family "peaks", whatever', 'the inputs are of the kind "peaks", whatever'),
        ("array u is read, gate 5, 3 units, G1", "array u is read, gate 5, 3 units, G1"),
    ],
)
def test_the_judges_own_terms_in_plain_words(text: str, shown: str) -> None:
    assert words.plain(text).startswith(shown)


def test_every_gate_has_its_words() -> None:
    named = set(re.findall(r"\bG\d\b", str(tolerance.__doc__)))
    assert named and all(words.gate(each) != each for each in named)


@pytest.mark.parametrize("code", [0x0, 0x1B, 0xAD, 0x115F, 0x202E, 0x2028, 0x3164, 0xFE00, 0xFEFF, 0xE0041, 0xE01EF])
def test_what_shows_nothing_is_spelled_out(code: int) -> None:
    assert words.visible(f"a{chr(code)}b") == f"a‹U+{code:04X}›b"


@pytest.mark.parametrize("text", ["a\tb\nc", "é ı İ", "👩‍💻", "❤️", "می‌خواهم", "日本語", "a b"])
def test_what_people_write_stays(text: str) -> None:
    assert words.visible(text) == text


def test_a_share_above_light_is_explained() -> None:
    assert words.above_light([0.5, None, 1.0]) == ""
    assert "tensor cores" in words.above_light([0.5, 1.47])
