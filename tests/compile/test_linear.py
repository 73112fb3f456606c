"""Every function that reads a submission's text, or a compiler's output on it, takes time linear in the text's size.

The clock is that of the thread's own work, the least of some runs: a machine that is busy makes no difference.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.boards.code import highlight
from grader.compile.compiler import CompileFailure
from grader.compile.diagnostics import cap, read_log
from grader.compile.facts import Facts
from grader.compile.hints import add_hints
from grader.compile.host_code import without_host_code
from grader.compile.includes import find_foreign_include
from grader.compile.nvcc_log import read_nvcc_log
from grader.compile.parse import parse
from grader.compile.paths import without_paths
from grader.compile.preprocess import preprocess
from grader.compile.ptx import has_unnamed, number_first, plain_name, read_kernels, take_constants
from grader.compile.python_text import language_of
from grader.compile.resources import read_spills, without_resources
from grader.compile.signature import explain_kernel
from grader.compile.solve_remarks import order_remarks, stream_remarks
from grader.compile.submission import SIZE_LIMIT
from grader.compile.syntax import syntax_tree
from grader.compile.template_names import shorten
from grader.contest.similarity import tokenize, tokenize_python
from grader.core.report import Diagnostic
from grader.core.verdict import LanguageName
from grader.run.fault_words import has_grid_barrier, traps_of
from grader.terminal.excerpt import excerpt

SMALL, FACTOR = 2_500, 4
GROWTH = 2.5
"""Times the factor: a quadratic function takes four times as long as a linear one."""
BY_THE_PARSER = frozenset({"parse", "signatures", "tokenize"})
"""Those have a budget instead, linear in the size, of which a small text may leave the most."""
CHARACTER = 40e-6
"""Seconds of work for each character that are never too many; half of it is the parser's budget."""

PARAMETERS = (("const float*", "a"), ("float*", "b"), ("int", "N"))

C_UNITS = (
    *("/* ", '"/* ', "*/ ", "*/#", "//\\\n", "'/*", 'R"(', '"\\', "\n", " ", "\\ \n", "??/\n", "#", "# /* ", "\n#\n"),
    *("*/#include <", "#include <a>\n", "__has_include(<", '\n#if __has_include("a")\n', "#if 1\n", "#elif a\n"),
    *("#define a a a\n", "f(", "<<<", "<<< ", ">>>", "a<", "[", "a[", "int f(", "f(){}", "void f(int a){}\n", "a,"),
    *("namespace a{", 'extern "C" {', "template<class T> ", "delete ) ", "& ? ~ ", "else co_await -", "1 delete {\n"),
    *("#include <", '#include "', "import <", "operator "),
    *("cudaMemcpy ", "cudaStreamNonBlocking <<<", "__global__ void k(float* a){}\n", "a b ", "(", "{", "a::", "1'0/*"),
    *("~ namespace #else * ", 'a "b', "#define A B\nA\n", "__attribute__((a)) ", "=", "unsigned ", ")", "\\"),
)
PTX_UNITS = (
    *("\n", " ", "\t\n", ".visible\n", ".visible ", ".entry k(", ".entry k(\n", "\n.entry k(\n", ".param .u8 .ptr "),
    *('.file 1 "', '\n.file 1 "a"\n', "inlined_at ", "inlined_at 9", "9", ".loc\t1 1 1\n", "/*"),
    *(".loc 1 1 1\n", "\n.global .align 8 .u64 kgrade_constant_"),
    *(
        "\n.entry k(.param .u8 .ptr a ",
        "_Z",
        "_ZN1a",
        "1a",
        "ILi1E",
        "Li1E",
        "\n.global .align 8 .u64 kgrade_constant_",
    ),
)
PYTHON_UNITS = (
    *(
        '"',
        "'",
        '"""',
        "'''",
        "\\",
        '"\\',
        "r",
        "#",
        "# ",
        "# language:",
        "\n",
        " ",
        " @",
        "\n @",
        "@a.",
        "a.",
        ". ",
        ".",
    ),
    *("import ", "\nimport a", "import a, ", "from a import ", "\nfrom a import b, ", "1", "1.", "0x", "a b", "()"),
)
LOG_UNITS = (
    *(
        "a(",
        "a(1",
        "a.cu(1): error: a\n",
        "b.h(1): error: a\n",
        " ",
        "\n",
        " at line 1",
        "\n  at line 1 of ",
        "^\n  ^\n",
    ),
    *("a<", '"a', "At end of source: error: a\n", "a.cu:1: error: a\n", ": ", "ptxas a, line 1; ", ", line 1; "),
    *('a.cu(1): error: identifier "abcd" is undefined\n', "ptxas error : _Z1a\n", "__attribute__((a))\n  ^\n", "9"),
    *("ptxas info    : Compiling entry function 'a' for 'a'\n", "no operator ", 'no operator "'),
)

C_READERS: dict[str, Callable[[str], object]] = {
    "parse": parse,
    "preprocess": preprocess,
    "find_foreign_include": lambda text: find_foreign_include(text, [Path("/nowhere")]),
    "stream_remarks": lambda text: stream_remarks("cudaStreamNonBlocking\n" + text),
    "signatures": lambda text: _signatures(text),
    "tokenize": tokenize,
    "highlight": lambda text: highlight(text, LanguageName.CUDA),
    "excerpt": lambda text: excerpt(text, text.count("\n") + 1),
}
PYTHON_READERS: dict[str, Callable[[str], object]] = {
    "tokenize_python": tokenize_python,
    "language_of": language_of,
    "highlight_python": lambda text: highlight(text, LanguageName.TRITON),
}
PTX_READERS: dict[str, Callable[[str], object]] = {
    "read_kernels": read_kernels,
    "take_constants": lambda text: take_constants(text, ""),
    "number_first": lambda text: number_first(f'.file 2 "/a.cu"\n{text}', "a.cu"),
    "plain_name": plain_name,
    "has_unnamed": has_unnamed,
    "fault_words": lambda text: (has_grid_barrier(text), traps_of(text)),
}
LOG_READERS: dict[str, Callable[[str], object]] = {
    "read_log": lambda text: add_hints(read_log(text, text, "a.cu"), text, Facts()),
    "read_nvcc_log": lambda text: read_nvcc_log(text, "a\n" * 1000, "a.cu", [], Facts()),
    "read_spills": lambda text: (read_spills(text), without_resources(text)),
    "shorten": shorten,
    "hints": lambda text: add_hints([Diagnostic("error", 'identifier "abcd" is undefined', 1)], text, Facts()),
}
READERS = [
    pytest.param(name, reader, units, id=name)
    for readers, units in (
        (C_READERS, C_UNITS),
        (PYTHON_READERS, PYTHON_UNITS),
        (PTX_READERS, PTX_UNITS),
        (LOG_READERS, LOG_UNITS),
    )
    for name, reader in readers.items()
]


def _signatures(text: str) -> None:
    facts = parse(text)
    explain_kernel("kernel", PARAMETERS, facts)
    order_remarks(PARAMETERS, facts)
    without_host_code(text, facts)


def _seconds(reader: Callable[[str], object], text: str, runs: int) -> float:
    best = float("inf")
    for _ in range(runs):
        start = time.thread_time()
        reader(text)
        best = min(best, time.thread_time() - start)
    return best


@pytest.mark.parametrize(("name", "reader", "units"), READERS)
def test_time_grows_with_the_text_and_not_faster(
    name: str, reader: Callable[[str], object], units: tuple[str, ...]
) -> None:
    reader("warm")
    for unit in units:
        small, large = (unit * (size // len(unit)) for size in (SMALL, SMALL * FACTOR))
        taken = _seconds(reader, large, 1)
        # Short times say nothing of how they grow; the least of more runs is taken where one is suspicious.
        if name not in BY_THE_PARSER and taken > 0.05 and taken > GROWTH * FACTOR * _seconds(reader, small, 2):
            taken = _seconds(reader, large, 3)
            assert taken < GROWTH * FACTOR * _seconds(reader, small, 5), unit
        assert taken < 1.0 + CHARACTER * len(large), unit


@pytest.mark.parametrize("unit", ["*/#", "a<"])
def test_the_largest_file_is_read_in_seconds(unit: str) -> None:
    text = unit * (SIZE_LIMIT // len(unit))
    assert _seconds(parse, text, 1) + _seconds(C_READERS["find_foreign_include"], text, 1) < CHARACTER * SIZE_LIMIT


def test_a_text_whose_steps_are_long_ends_with_its_time() -> None:
    def read(text: str) -> object:
        return syntax_tree(text.encode(), seconds=0.2)

    assert _seconds(read, "'a' " * 40_000, 1) < 1.5
    assert read("'a' " * 40_000) is None
    assert read("__global__ void k() {}") is not None


_TEXTS = st.lists(st.one_of(st.sampled_from(C_UNITS), st.text(max_size=3)), max_size=25).map("".join)


@given(_TEXTS)
@settings(max_examples=40, deadline=None)
def test_no_text_makes_a_reader_fail(text: str) -> None:
    facts = parse(text)
    assert all(function.line >= 1 for function in facts.functions)
    found = find_foreign_include(text, [Path("/nowhere")])
    assert found is None or 1 <= found.line <= text.replace("\r", "\n").count("\n") + 1
    without_host_code(text, facts)
    stream_remarks(text)
    preprocess(text)


@given(st.lists(st.one_of(st.sampled_from((*PTX_UNITS, *LOG_UNITS)), st.text(max_size=3)), max_size=25).map("".join))
@settings(max_examples=40, deadline=None)
def test_no_output_of_a_compiler_makes_a_reader_fail(text: str) -> None:
    for reader in (*PTX_READERS.values(), *LOG_READERS.values()):
        reader(text)


@pytest.mark.parametrize("digits", ["9" * 5000, "\u0663" * 20])
def test_numbers_of_any_length_are_read(digits: str) -> None:
    symbol = f"_Z{digits}a"
    assert plain_name(symbol) == symbol
    read_kernels(f".entry {symbol}(.param .b8 a[{digits}], .param .u{digits} b)")
    number_first(f'.file {digits} "a.cu"\n.loc {digits} 1 1', "a.cu")
    take_constants(f".global .align 8 .u64 kgrade_constant_N = {digits};\n", "")
    read_log(f"a.cu({digits}): error #{digits}: x\n  at line {digits}", "a", "a.cu")
    read_nvcc_log(f"a.cu:{digits}:{digits}: error: x\nptxas a, line {digits}; error : x", "a", "a.cu", [], Facts())
    assert parse(f"#if {digits} == {digits}\nint a;\n#endif").functions == ()


def test_messages_have_no_path_of_the_machine() -> None:
    said = "/opt/x/bin/ld: /tmp/kgrade-1/mine.o: multiple definition of `malloc'; a / b, /etc/passwd"
    assert without_paths(said) == "ld: mine.o: multiple definition of `malloc'; a / b, /etc/passwd"
    (shown,) = CompileFailure([Diagnostic("error", said)]).diagnostics
    assert shown.message == without_paths(said)
    assert cap([Diagnostic("warning", said)])[0].message == without_paths(said)
