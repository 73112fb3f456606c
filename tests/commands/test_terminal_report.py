"""The report in a terminal: all that explains a verdict, in 80 columns, coloured or plain, Unicode or not."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from grader.core.report import CaseResult, Diagnostic, ErrorMap, Report
from grader.core.verdict import Form, LanguageName, Verdict
from grader.terminal import ascii, error_map
from grader.terminal.console import messages, output
from grader.terminal.excerpt import excerpt
from grader.terminal.report import print_report

from .samples import SOURCE, accepted_report, faulty_report, measured_report, wrong_report

ESCAPE = "\x1b"


def shown(report: Report, *, encoding: str = "utf-8", terminal: bool = False, width: int = 80) -> str:
    stream = io.BytesIO()
    file = io.TextIOWrapper(stream, encoding=encoding, errors=ascii.ERRORS)
    console = Console(file=file, width=width, force_terminal=terminal, highlight=False, emoji=False, markup=False)
    print_report(report, console, submission=3, page=Path("/w/submissions/reports/3.html"))
    file.flush()
    return stream.getvalue().decode(encoding)


def test_an_accepted_report() -> None:
    text = shown(accepted_report())
    assert text.startswith("✓ accepted   Matrix multiplication, CUDA C++, emulator\n")
    for words in ("2 of 2 right", "TILE = 16", "submission 3 of ada", "/w/submissions/reports/3.html"):
        assert words in text
    assert "kgrade test matmul mine.cu --seed 7" in text


def test_the_language_is_in_the_head_and_in_the_command_where_the_files_name_does_not_show_it() -> None:
    in_triton = replace(accepted_report(), language=LanguageName.TRITON, form=Form.SOLVE, file="mine.py")
    text = shown(in_triton)
    assert text.startswith("✓ accepted   Matrix multiplication, Triton, emulator\n")
    assert "kgrade test matmul mine.py --seed 7" in text
    assert "kgrade test matmul mine.txt --language triton --seed 7" in shown(replace(in_triton, file="mine.txt"))


def test_times_rates_and_resources_of_a_measured_kernel() -> None:
    text = shown(measured_report())
    lines = [re.sub(" +", " ", line.strip()) for line in text.splitlines()]
    assert "sizes time ± × baseline GFLOP/s GB/s of light" in lines
    assert "M=1024,N=1024,K=1024 410 µs 0.20 % 9.61 5,238 30.7 10.2 %" in lines
    assert "score 0.101 (0.0956 to 0.1062) of the speed of light" in lines
    assert "ceilings 4.31 TB/s, 51.2 TFLOP/s, empty kernel 1.19 µs" in lines
    assert "data sheet 4.80 TB/s, 66.9 TFLOP/s" in lines
    resources = "kernel 255 registers, 2 KiB shared memory, 416 B spilled, occupancy 12.5 % (limited by registers)"
    assert resources in re.sub(r"\s+", " ", text)
    assert "SM clock 1,905 to 1,980 MHz, no throttling" in lines
    assert "The time with M=8192 N=8192 K=8192 scatters: ± 12 %." in text


def test_times_without_a_baseline_while_the_gpu_slowed_down() -> None:
    text = shown(measured_report(ratio=None, throttled=("power cap",), kernels=2))
    assert "baseline" not in text and "no throttling" not in text
    assert "The GPU slowed itself down (power cap)" in text
    assert text.count("matrix_multiplication_kernel: 255 registers") == 2


def test_an_emulated_report_has_no_times() -> None:
    text = shown(accepted_report())
    assert "GB/s" not in text and "SM clock" not in text


def test_a_fault_shows_line_access_and_thread() -> None:
    text = shown(faulty_report())
    assert text.startswith("✗ runtime_error / out_of_bounds")
    assert "❱ 4 │     C[row * K + column] = 0.0f;" in text
    for words in (
        "write of C[4]; C has 4 elements",
        "block (0, 0, 0), thread (4, 0, 0)",
        "12 threads",
        "Fails whenever M is not a multiple of 16.",
        "1 right before this one",
        "--case M=2,N=2,K=2 --seed 7",
    ):
        assert words in text


def test_a_wrong_answer_shows_elements_and_where_they_are() -> None:
    text = shown(wrong_report())
    assert "144 of 400" in text
    assert re.search(r"C\[0, 16\] +12 +0 +", text)
    assert re.search(r"C\[0, 17\] +NaN +−1.5 +∞", text)
    assert re.search(r"C\[0, 18\] +1 +not written", text)
    assert "········████" not in text.splitlines()[-1]
    rows = [line.strip() for line in text.splitlines() if re.fullmatch(r" +[·░▒▓█]+", line)]
    assert rows[:8] == ["················████"] * 8
    assert rows[8:] == ["█" * 20] * 2


def test_a_compile_error_shows_the_place_and_a_hint() -> None:
    diagnostics = (
        Diagnostic("warning", "variable is unused", 2),
        Diagnostic("error", 'identifier "colum" is undefined', 4, 17, hint="did you mean column?"),
    )
    report = replace(
        accepted_report(),
        verdict=Verdict.COMPILE_ERROR,
        headline="Does not compile",
        line=4,
        diagnostics=diagnostics,
        cases=(),
    )
    lines = shown(report).splitlines()
    assert '  error: identifier "colum" is undefined' in lines
    assert "  mine.cu:4:17" in lines
    assert "unused" not in "\n".join(lines)
    code = next(k for k, line in enumerate(lines) if "❱" in line and "C[row" in line)
    assert lines[code][lines[code + 1].index("^")] == "c"
    assert "hint: did you mean column?" in "\n".join(lines)
    assert "repeat" not in "\n".join(lines)


@pytest.mark.parametrize("report", [accepted_report(), faulty_report(), wrong_report(), measured_report()])
def test_eighty_columns_hold_it_without_escape_codes(report: Report) -> None:
    text = shown(report)
    assert ESCAPE not in text
    assert [line for line in text.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("report", [accepted_report(), faulty_report(), wrong_report(), measured_report()])
def test_a_terminal_without_unicode_gets_ascii_only(report: Report) -> None:
    text = shown(report, encoding="ascii")
    assert "?" not in text
    assert "| " in text or report.line is None


def test_colours_follow_the_terminal_and_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert f"{ESCAPE}[1;31m" in shown(faulty_report(), terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in shown(faulty_report(), terminal=True)


def test_what_a_submission_says_cant_steer_the_terminal() -> None:
    evil = f"{ESCAPE}]0;title\x07{ESCAPE}[2J\u202e"
    report = replace(
        faulty_report(), file=evil, headline=evil, printed=evil, source=SOURCE + evil, pattern=evil, user=evil
    )
    text = shown(report)
    assert not set("\x1b\x07\u202e") & set(text)


def test_what_a_submission_says_begins_no_command_of_a_workflow(capsys: pytest.CaptureFixture[str]) -> None:
    """GitHub's runner carries out lines that begin so, and trims what is before."""
    evil = f"::error file=x::pwned\n  ::set-output name=x::y\n##[add-mask]z {'w' * 40} {'v' * 40} ::error::wrapped"
    report = replace(
        faulty_report(), file=evil, headline=evil, printed=evil, source=SOURCE + evil, pattern=evil, explanation=(evil,)
    )
    for console in (output(), messages()):
        print_report(report, console)
    for said in capsys.readouterr():
        assert "pwned" in said and "wrapped" in said and "##[" not in said
        assert not any(line.lstrip().startswith("::") for line in said.splitlines())


def test_many_lines_of_printf_are_cut() -> None:
    text = shown(replace(accepted_report(), printed="\n".join(f"line {k}" for k in range(50))))
    assert "line 9" in text
    assert "line 10" not in text
    assert "40 lines more" in text


def test_excerpt_points_at_the_byte_that_the_compiler_means() -> None:
    source = "\tfloat ä = 1; \tbad\n"
    text = excerpt(source, 1, source.encode().index(b"bad") + 1).plain.splitlines()
    assert text[0].index("bad") == text[1].index("^")


def test_excerpt_of_a_long_line_shows_the_place() -> None:
    source = "x" * 300 + " bad " + "y" * 300
    text = excerpt(source, 1, 302, width=80).plain.splitlines()
    assert text[0].index("bad") == text[1].index("^")
    assert all(len(line) <= 80 for line in text)


@pytest.mark.parametrize("line", [0, 3, -1])
def test_excerpt_of_a_line_that_is_not_there_is_empty(line: int) -> None:
    assert excerpt("one\ntwo\n", line).plain == ""


def test_excerpt_counts_lines_as_the_compiler_does() -> None:
    # Python's splitlines also splits at a form feed and at U+2028.
    assert "three" in excerpt("one\ftwo\u2028two\nthree\n", 2, around=0).plain


def test_one_wrong_element_in_a_large_map_is_seen() -> None:
    cells = [[0.0] * 64 for _ in range(64)]
    cells[63][63] = 0.001
    lines = error_map.draw(ErrorMap((6400, 6400), 100, 100, tuple(map(tuple, cells)))).plain.splitlines()
    assert len(lines) == error_map.ROWS + 1
    assert lines[-2] == "  " + "·" * (error_map.COLUMNS - 1) + "░"
    assert "6400 rows × 6400 columns, 400 × 200 a character" in lines[-1]


def test_cases_that_are_many_are_counted() -> None:
    cases = tuple(CaseResult({"M": k, "N": k, "K": k}, "normal", 1, Verdict.ACCEPTED) for k in range(100, 112))
    text = shown(replace(accepted_report(), cases=cases))
    assert "12 of 12 right" in text
    assert "and 8 more" in text
