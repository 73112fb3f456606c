"""The compiler's log as diagnostics."""

from __future__ import annotations

from grader.compile.diagnostics import MOST, read_log, read_remarks
from grader.core.report import Diagnostic

FOLDER = "/toolkit/include"


def read(log: str, source: str) -> tuple[Diagnostic, ...]:
    return read_log(log, source, "mine.cu", (FOLDER,))


def test_an_error_with_its_column() -> None:
    log = (
        'mine.cu(2): error: identifier "foo" is undefined\n  \tint x = foo;\n  \t        ^\n\n'
        '1 error detected in the compilation of "mine.cu".\n'
    )
    (error,) = read(log, "// one\n\tint x = foo;\n")
    assert error == Diagnostic("error", 'identifier "foo" is undefined', 2, 10)


def test_columns_count_characters_not_bytes() -> None:
    source = "\tint e = 1; /* ünï */ foo;"
    bytes_before = len(source[: source.index("foo")].encode())
    log = f'mine.cu(1): error: identifier "foo" is undefined\n  {source}\n  \t{" " * (bytes_before - 1)}^\n'
    assert read(log, source)[0].column == source.index("foo") + 1


def test_a_column_of_other_text_than_the_line_is_left_out() -> None:
    log = "mine.cu(1): error: odd\n  something else\n      ^\n"
    assert read(log, "int x;") == (Diagnostic("error", "odd", 1, None),)


def test_a_line_that_the_file_does_not_have_is_left_out() -> None:
    assert read("mine.cu(99): error: odd\n", "int x;") == (Diagnostic("error", "odd"),)


def test_catastrophic_errors_are_errors() -> None:
    log = (
        'mine.cu(1): catastrophic error: cannot open source file "x.h"\n  #include "x.h"\n                ^\n\n'
        '1 catastrophic error detected in the compilation of "mine.cu".\nCompilation terminated.\n'
    )
    assert read(log, '#include "x.h"') == (Diagnostic("error", 'cannot open source file "x.h"', 1, 15),)


def test_the_end_of_the_source_is_its_last_line() -> None:
    log = 'At end of source: error: expected a "}"\nmine.cu(1): note #3196-D: to match this "{"\n  f() {\n      ^\n'
    assert read(log, "f() {\n\n  x;\n\n\n") == (
        Diagnostic("error", 'expected a "}"', 3),
        Diagnostic("note", 'to match this "{"', 1, 5),
    )


def test_messages_of_several_lines_are_joined_and_overloads_left_out() -> None:
    log = (
        'mine.cu(1): error: no instance of overloaded function "f" matches the argument list\n'
        "            argument types are: (int)\n  f(1);\n  ^\n"
        "/toolkit/include/f.h(9): note #3326-D: function does not match because argument #1 does not\n"
        "  void f(float*);\n       ^\n"
        'Note #3326-D: function "f(char *)" does not match\n\n'
    )
    message = 'no instance of overloaded function "f" matches the argument list argument types are: (int)'
    assert read(log, "f(1);") == (Diagnostic("error", message, 1, 1),)


def test_errors_come_before_warnings_and_notes_stay_with_them() -> None:
    log = (
        "mine.cu(1): warning #68-D: a change of sign\n  a;\n  ^\n\n"
        'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"\n\n'
        "mine.cu(2): error: wrong\n  b;\n  ^\nmine.cu(1): note #1-D: because\n  a;\n  ^\n\n"
    )
    assert [(d.severity, d.line) for d in read(log, "a;\nb;")] == [("error", 2), ("note", 1), ("warning", 1)]


def test_consequences_of_an_error_are_left_out() -> None:
    unused = "mine.cu(1): warning #177-D: never referenced\n\nmine.cu(1): warning #550-D: never used\n\n"
    restart = "mine.cu(2): warning #12-D: parsing restarts here\n\n"
    assert [d.severity for d in read(unused + restart, "a;\nb;")] == ["warning", "warning"]
    error = "mine.cu(2): error: wrong\n\n"
    assert [d.severity for d in read(unused + restart + error, "a;\nb;")] == ["error"]


def test_the_same_remark_is_shown_once() -> None:
    assert len(read("mine.cu(1): error: odd\n\nmine.cu(1): error: odd\n", "x")) == 1


def test_many_remarks_are_capped_with_a_count() -> None:
    log = "".join(f"mine.cu({n}): error: number {n}\n\n" for n in range(1, 91))
    diagnostics = read(log, "x\n" * 100)
    assert len(diagnostics) == MOST + 1
    assert diagnostics[0].line == 1
    assert diagnostics[-1] == Diagnostic("note", f"and {90 - MOST} more remarks of the compiler")


def test_an_error_in_a_template_names_the_line_that_asked_for_it() -> None:
    log = (
        'mine.cu(1): error: expression must have class type but it has type "float"\n  return x.y;\n         ^\n'
        "          detected during:\n"
        '            instantiation of "T f(T) [with T=float]" at line 2\n'
        '            instantiation of "T g(T) [with T=float]" at line 4\n\n'
    )
    message = 'expression must have class type but it has type "float" (instantiated from line 4)'
    assert read(log, "return x.y;\n\n\n\n") == (Diagnostic("error", message, 1, 8),)


def test_an_error_in_a_header_is_told_at_the_line_that_led_there() -> None:
    log = (
        f'{FOLDER}/deep/array.h(77): error: static assertion failed with "too big"\n  static_assert(x);\n  ^\n'
        "          detected during:\n"
        '            instantiation of "f" at line 80\n'
        '            instantiation of "g" at line 3 of mine.cu\n\n'
    )
    message = 'in array.h, line 77: static assertion failed with "too big"'
    assert read(log, "#include <deep/array.h>\n\ng();\n") == (Diagnostic("error", message, 3),)


def test_an_error_in_a_header_itself_is_told_at_its_include() -> None:
    log = f"{FOLDER}/inner.h(2): error: odd\n\n{FOLDER}/outer.h(2): warning #1-D: odd\n"
    assert read(log, "\n # include <inner.h>\n") == (Diagnostic("error", "in inner.h, line 2: odd", 2),)
    assert read(log, "\n#include <outer.h>\n") == (Diagnostic("error", "in inner.h, line 2: odd", 2),)
    assert read(log, "") == (Diagnostic("error", "in inner.h, line 2: odd"),)


def test_text_of_foreign_files_is_not_shown() -> None:
    log = '/etc/shadow(1): error: identifier "root:secret" is undefined\n  root:secret\n  ^\n'
    (error,) = read(log, "#include NAME")
    assert error.message == "the included file shadow can't be used: a submission is one file"


def test_source_that_looks_like_the_log_is_not_read_as_such() -> None:
    line = "mine.cu(7): error: I am a comment"
    log = f"mine.cu(1): error: odd\n  {line}\n  ^\n"
    assert read(log, line) == (Diagnostic("error", "odd", 1, 1),)


def test_remarks_of_an_empty_log() -> None:
    assert read_remarks("") == []
    assert read("\n\n", "x") == ()
