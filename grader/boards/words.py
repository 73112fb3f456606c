"""Formats numbers, times and names for pages: the filters of the templates.

Each function turns one value into plain text; the templates escape it.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from grader.core.report import CaseResult, Interval, Mend, Report
from grader.core.verdict import LanguageName

# Control characters, marks that change the direction of text, and characters that show nothing: they could make code or
# a name look like something else, or hide words that only a program reads, as tags (U+E0000 to U+E007F) do. Joiners and
# the two variation selectors of emoji stay, because people write them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """`text` with invisible characters spelled out, such as ‹U+202E›."""
    return _INVISIBLE.sub(lambda match: f"‹U+{ord(match[0]):04X}›", text.replace("\r\n", "\n"))


_COMMAND = re.compile(r"^[^\S\n]*:(?=:)|##(?=\[)", re.MULTILINE)


def no_command(text: str) -> str:
    """`text` in which GitHub's runner, which carries out what a step prints, finds no command of its own.

    Those are `::command …::` at the start of a line, and in an older form `##[command]` anywhere in it.
    """
    return _COMMAND.sub(lambda match: f"{match[0]} ", text)


_FORMULA = re.compile("(^|;) *(?=[=+@\uff1d\uff0b\uff0d\uff20-])")
"""Where a spreadsheet takes a cell of CSV for a formula; many split lines at semicolons, whatever the rest has."""


def spreadsheet_cell(text: str) -> str:
    """`text` as one line of a cell in which no spreadsheet finds a formula."""
    return _FORMULA.sub(r"\1'", " ".join(visible(text).split()))


GATES: Mapping[str, str] = {
    "G0": "bit for bit, as sums of these inputs need no rounding",
    "G1": "each element, within what the rounding of its sum explains",
    "G2": "all elements together, within what rounding explains",
    "G3": "each element, within what the rounding of its formula explains",
    "G4": "each element, within what the rounding of its formula and sums explains",
}
"""How results are compared, by the names in docs/tolerance.md."""
_TERMS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = (
    (re.compile(r"\bgate (G\d)\b"), lambda found: f"outputs compared {gate(found[1])}"),
    (
        re.compile(r"(\d(?:[\d.,]|e[+-]?\d)*) u\b"),
        lambda found: f"{found[1]} rounding error{'' if found[1] == '1' else 's'}",
    ),
    (re.compile(r"\bof the family (?=[\"“])"), lambda found: "of the kind "),
)


def gate(word: str) -> str:
    """How outputs are compared, in words."""
    return GATES.get(word, word)


def plain(text: str) -> str:
    """A sentence of a report without the judge's own terms: u is the largest error of one rounding."""
    for pattern, words in _TERMS:
        text = pattern.sub(words, text)
    return text


def capitalized(text: str) -> str:
    """`text` with its first letter large, as in a heading."""
    return text[:1].upper() + text[1:]


BY_MODEL = "model time on "
"""How the names of boards begin that rank by a model's time."""


def model_board(gpu: str) -> str:
    """The name of what is ranked by a model's time: no reader may take it for a measurement."""
    return f"{BY_MODEL}{gpu}, not measured"


def label(word: object) -> str:
    """A verdict, fault or kind in words: "out of bounds"."""
    return str(word).replace("_", " ")


LANGUAGES: Mapping[LanguageName, str] = {
    LanguageName.CUDA: "CUDA C++",
    LanguageName.TRITON: "Triton",
    LanguageName.CUTILE: "cuTile",
    LanguageName.CUTE: "CuTe DSL",
    LanguageName.NUMBA: "Numba",
}
"""The languages' names, in the order of lists."""


def language(word: str) -> str:
    """The name of a language: "CUDA C++" for cuda."""
    return LANGUAGES[LanguageName(word)]


def name(user: str) -> str:
    return visible(user.strip()) or "anonymous"


def number(value: float) -> str:
    """The value of an element with nine digits, which distinguish any two floats."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.9g}".replace("-", "−")


def units(value: float) -> str:
    """An error in units of the tolerance."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞"
    if value >= 1e6:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa} × 10{_superscript(int(exponent))}"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.001 or value == 0 else "< 0.001"


def count(value: int) -> str:
    return f"{value:,}"


def several(value: int, noun: str) -> str:
    """A count with its noun: "1 user", "1,200 users"."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def duration(seconds: float) -> str:
    """A time with three digits in a suitable unit."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor:
            return f"{_three_digits(seconds / factor)} {unit}"
    return f"{_three_digits(seconds / 1e-9)} ns"


NOTHING = "Nothing was found to change."
NOTHING_TO_GAIN = "Nothing was found that would gain 3 % of the model time."


def gain(before: float, after: float, arrow: str = "→") -> str:
    """A time in seconds that becomes another: "1.31 → 0.940 ms"; the unit is given once where one fits both."""
    number, unit = duration(before).split()
    factor = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
    if after < 0.1 * factor:
        return f"{number} {unit} {arrow} {duration(after)}"
    return f"{number} {arrow} {_three_digits(after / factor)} {unit}"


def interval(time: Interval) -> str:
    """The bounds of a measured time with three digits; the unit is given once if it is the same."""
    low, high = duration(time.low), duration(time.high)
    (number, unit), (_, other) = low.split(), high.split()
    return f"{number} to {high}" if unit == other else f"{low} to {high}"


def bounds(time: Interval) -> str:
    """The bounds of a time in one unit, with enough digits to show 0.1 %."""
    factor, unit = next(
        ((factor, unit) for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")) if time.value >= factor),
        (1e-9, "ns"),
    )
    return f"{time.low / factor:#,.5g} to {time.high / factor:#,.5g} {unit}"


def between(measured: Interval) -> str:
    """The bounds of a number without a unit, such as a score or a ratio."""
    return f"{measured.low:.4f} to {measured.high:.4f}"


def score(value: float) -> str:
    return f"{value:.3f}"


def quantity(value: float, unit: str) -> str:
    """A large quantity with three digits and a suitable prefix: "4.31 TB/s", "812 GFLOP/s"."""
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor * (1 - 1e-9):
            return f"{_three_digits(value / factor)} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def giga(value: float) -> str:
    """A quantity in units of 10⁹ with three digits, for a column whose head names the unit."""
    return f"{value / 1e9:,.0f}" if value >= 1e11 else f"{value / 1e9:.3g}"


def percent(share: float) -> str:
    """A share in percent with three digits."""
    return f"{_three_digits(share * 100)} %" if share > 0 else "0 %"


def above_light(shares: Iterable[float | None]) -> str:
    """What shares of the speed of light above 1 mean; "" if there are none."""
    if any(share is not None and share > 1 for share in shares):
        return "Above 100 % is what tensor cores do with parts of numbers: light is that of the units for fp32."
    return ""


def factor(ratio: Interval) -> str:
    """The ratio to the baseline's time, with the digits that its interval supports."""
    return (
        f"{ratio.value:.3f}"
        if ratio.value < 2
        else f"{ratio.value:,.0f}"
        if ratio.value >= 100
        else f"{ratio.value:.3g}"
    )


def spread(measured: Interval) -> str:
    """The larger side of an interval in percent of its value: "± 0.12 %"."""
    if not measured.value > 0:
        return ""
    share = max(measured.high - measured.value, measured.value - measured.low) / measured.value
    return f"± {max(share * 100, 0.01):.2f} %" if share < 0.1 else f"± {share * 100:.0f} %"


def clocks(lowest_and_highest: Sequence[float]) -> str:
    """A range of clocks in MHz, or a single clock."""
    low, high = (f"{clock:,.0f}" for clock in lowest_and_highest)
    return f"{low} MHz" if low == high else f"{low} to {high} MHz"


def memory(size: int) -> str:
    return f"{size:,} B" if size < 1024 or size % 1024 else f"{size // 1024:,} KiB"


def date(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"


def iso(time: datetime) -> str:
    return time.isoformat(timespec="seconds")


def sizes(values: Mapping[str, float]) -> str:
    """Sizes as people write them: M=17 N=1 K=3; scalars in the same way: a=0.5."""
    shown = ((key, f"{value:.9g}" if isinstance(value, float) else value) for key, value in values.items())
    return visible(" ".join(f"{key}={value}" for key, value in shown))


def element(index: Sequence[int]) -> str:
    return f"[{', '.join(map(str, index))}]"


def triple(value: Sequence[int]) -> str:
    return f"({', '.join(map(str, value))})"


def repeat_command(report: Report, case: CaseResult | None = None) -> str:
    """The command that repeats the grading with the same seed, or a single case of it."""
    words = ["kgrade", "test", report.problem, report.file]
    if (report.language is LanguageName.CUDA) == report.file.endswith(".py"):
        # The file's name does not show it.
        words += ["--language", str(report.language)]
    if report.problem_set:
        words[2:3] = ["--problems", report.problem_set, report.problem.partition(":")[2]]
    given = [case] if case is not None else report.cases if report.own_sizes else ()
    for sizes in dict.fromkeys(",".join(f"{key}={value}" for key, value in one.sizes.items()) for one in given):
        words += ["--case", sizes]
    if report.seed >= 0:
        # A contest with hidden cases hides their seed.
        words += ["--seed", str(report.seed)]
    return visible(shlex.join(words))


def debug_command(report: Report) -> str:
    """The command that steps through the smallest failing case of a report, in a terminal."""
    words = shlex.split(repeat_command(report, report.smallest))
    return visible(shlex.join(["kgrade", "debug", *words[2:], "--terminal"]))


def _three_digits(value: float) -> str:
    # From 99.95 on, three digits round to 100, which would be printed with a trailing point.
    return f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"


def mend(made: Mend) -> str:
    """What an accepted submission changed in an exercise's text, beside what its author changed."""
    fewest = "fewer are not known" if made.tokens <= made.smallest else f"{made.smallest:,} are enough"
    return f"{made.exercise}, with {several(made.tokens, 'changed token')}; {fewest}"


def _superscript(value: int) -> str:
    return str(value).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


FILTERS: Mapping[str, Callable[..., str]] = {
    function.__name__: function
    for function in (
        visible,
        plain,
        gate,
        capitalized,
        label,
        language,
        name,
        number,
        units,
        count,
        several,
        duration,
        interval,
        bounds,
        between,
        score,
        quantity,
        giga,
        percent,
        above_light,
        factor,
        spread,
        clocks,
        memory,
        date,
        iso,
        sizes,
        element,
        triple,
        mend,
    )
}
