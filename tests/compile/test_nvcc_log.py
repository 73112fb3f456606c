"""What nvcc's log says, as its different programs word it."""

from __future__ import annotations

import pytest

from grader.compile.nvcc_log import LINE_LIMIT, how_it_died, read_nvcc_log
from grader.compile.parse import parse
from grader.core.report import Diagnostic

SOURCE = "__global__ void k(float* a) { a[0] = x; }\nint y;\n"
INCLUDES = ["/toolkit/include"]


def read(log: str) -> list[Diagnostic]:
    return list(read_nvcc_log(log, SOURCE, "mine.cu", INCLUDES, parse(SOURCE)))


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("mine.cu:2:5: error: 'z' is bad", Diagnostic("error", "'z' is bad", 2, 5)),
        ("mine.cu:2: Error: no such instruction: `bogus'", Diagnostic("error", "no such instruction: `bogus'", 2)),
        (
            "mine.cu:1:10: fatal error: a.h: No such file or directory",
            Diagnostic("error", 'cannot open source file "a.h"', 1),
        ),
        ("mine.cu:2:2: warning: #warning b [-Wcpp]", Diagnostic("warning", "#warning b [-Wcpp]", 2, 2)),
        ("/usr/secret.txt:1:1: error: root:x:0", Diagnostic("error", "the included file secret.txt can't be used")),
        (
            "/tmp/x.s:4: Error: file not found: /f",
            Diagnostic("error", "the assembler refuses an asm statement: file not found: /f"),
        ),
        (
            "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x8 bytes, 0x4 max)",
            Diagnostic("error", "ptxas: Entry function 'k' uses too much shared data (0x8 bytes, 0x4 max)", 1),
        ),
        ("ptxas /tmp/a.ptx, line 9; error   : Unknown thing", Diagnostic("error", "ptxas: Unknown thing")),
        ("ptxas warning : Stack size", Diagnostic("warning", "ptxas: Stack size")),
        (
            'mine.cu(1): error: identifier "x" is undefined\n'
            "  __attribute__((global)) void k(float* a) { a[0] = x; }\n" + " " * 52 + "^\n",
            Diagnostic("error", 'identifier "x" is undefined', 1, 38),
        ),
    ],
)
def test_one_remark(log: str, expected: Diagnostic) -> None:
    assert read(log) == [expected]


@pytest.mark.parametrize(
    "log",
    [
        "",
        "mine.cu:99:1: error: beyond the file",
        "ptxas fatal   : Ptx assembly aborted due to errors",
        "ptxas info    : 0 bytes gmem",
        '1 error detected in the compilation of "mine.cu".',
        "compilation terminated.",
    ],
)
def test_what_is_no_remark_about_the_source(log: str) -> None:
    assert [one for one in read(log) if one.line is not None or "mine" not in one.message] == []


def test_errors_come_first_and_once() -> None:
    warning, error = "mine.cu:2:1: warning: w", "mine.cu(1): error: e"
    assert [one.severity for one in read("\n".join([warning, error, warning, error]))] == ["error", "warning"]


def test_lines_are_cut() -> None:
    (found,) = read("mine.cu:1:1: error: " + "x" * 100_000)
    assert len(found.message) <= LINE_LIMIT


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("cc1plus: out of memory allocating 65536 bytes", "the compiler ran out of memory"),
        ("nvcc error   : 'cicc' died due to signal 9 (Kill signal)", "the compiler was stopped: it took too long"),
        ("nvcc error   : 'cudafe++' died due to signal 11", "the compiler itself crashed on this source"),
        ("nvcc error   : 'ptxas' died due to signal 25", "what the compiler wrote grew too large"),
    ],
)
def test_how_a_compiler_dies(log: str, message: str) -> None:
    died = how_it_died(log)
    assert died is not None
    assert (died.severity, died.message) == ("error", message)
    assert died.hint


def test_a_compiler_that_says_what_is_wrong_did_not_die() -> None:
    assert how_it_died("mine.cu(1): error: identifier") is None
