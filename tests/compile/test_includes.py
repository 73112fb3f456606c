"""Includes that the compiler must not see: every spelling that its preprocessor takes is found."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from grader.compile.includes import COMPILER_FOLDER, find_foreign_include


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ('#include "/etc/passwd"', 1, True),
        ("int x;\n  #  include </etc/passwd>", 2, True),
        ('#include "../secret"', 1, True),
        ('#incl\\\nude "/etc/passwd"', 1, True),
        ('#include \\ \n "/etc/passwd"', 1, True),
        ('%:include "/etc/passwd"', 1, True),
        ('#include_next "/etc/passwd"', 1, True),
        ('#embed "/etc/passwd"', 1, True),
        ('#/**/include/* a */"/etc/passwd"', 1, True),
        ('/* a\n */ #include "/etc/passwd"', 2, True),
        ('#/*\n*/include "/etc/passwd"', 1, False),
        ("#define F </etc/passwd>\n#include F", 2, False),
        ('#include "/etc/passwd"\\', 1, True),
        ('#include "/etc/passwd" // */ #', 1, True),
        ('// a \\ \n#include "/etc/passwd"', 2, True),
        ('// a ??/\n#include "/etc/passwd"', 2, True),
        ('??=include "/etc/passwd"', 1, True),
        ('/\\\n* a *\\\n/ #include "/etc/passwd"', 3, True),
        ('\f#include "/etc/passwd"', 1, True),
        ('// a\r#include "/etc/passwd"', 2, True),
        ('\0#include "/etc/passwd"', 1, True),
        ('const char* a = "\n#include "/etc/passwd"', 2, True),
        ('const char* a = R"(\n#include "/etc/passwd"\n)";', 2, True),
        ('#if 0\n don\'t /*\n#endif\n#include "/etc/passwd"\n// */', 4, True),
        ("int a = 'x/*';\n#include \"/etc/passwd\"\n// */", 2, True),
        ("int a = 1'0/*' */;\n /*/\n#include \"/etc/passwd\"\n*/", 3, True),
        ('#include <cstdio/*>\n#include "/etc/passwd"\n// */', 1, True),
        ('#\\u0069nclude "/etc/passwd"', 1, False),
        ("#include " + "<" + "a" * 300 + ">", 1, False),
        ('import "/etc/passwd";', 1, True),
        ('#if __has_include("/etc/shadow")', 1, True),
        ("#elif 0\n#elif __has_include(<../a>)", 2, True),
        ('#if _CCCL_HAS_INCLUDE("/etc/shadow")', 1, True),
        ("#if __has_include(F)", 1, False),
        ("#define H __has_include", 1, False),
        ("#define P(a, b) a##b\n#if P(__has_,include)(F)", 2, False),
        ("#define C P(__has_,include)(F)\n#define P(a, b) a##b\n#if C", 3, False),
        ("#if _CCCL_PP_CAT(__has_,include)(F)", 1, False),
        ("#undef __THRUST_DEVICE_SYSTEM_ROOT", 1, False),
        ('_Pragma("GCC dependency \\"/etc/passwd\\"")', 1, True),
        ('__device__ void f() { asm(".incbin \\"/etc/passwd\\""); }', 1, True),
        ("int a; " + "/**/ #define A\\\n" * 9, 9, False),
    ],
)
def test_foreign_includes_are_found(text: str, line: int, named: bool) -> None:
    found = find_foreign_include(text, [])
    assert found is not None
    assert (found.line, found.named) == (line, named)


@pytest.mark.parametrize(
    "text",
    [
        "#include <cstdio>",
        '#include "mine.cuh" // not there, which the compiler says better',
        "#include <own.h>",
        '// #include "/etc/passwd"',
        'const char* path = "/etc/passwd";',
        "#define include_all 1",
        "#define LONG 1 /* a comment of\n two lines */",
        "# /* null directive */",
        '/*\n#include "../common/book.h"\n*/',
        "#ifdef __has_include\n#if __has_include(<own.h>) && defined(__has_include)\n#endif\n#endif",
        '#define F(x) ((x) + 1)\n#if F(2) > 1 && defined(F) // "a" ## b\n#endif',
        "#define STR(x) #x\n#define CAT(a, b) a##b\n#if 1 /* CAT( */\n#endif",
        "#define STRING(x) /* a */ #x\n#pragma unroll",
    ],
)
def test_other_text_is_left_to_the_compiler(text: str, tmp_path: Path) -> None:
    (tmp_path / "own.h").touch()
    assert find_foreign_include(text, [tmp_path]) is None


def test_a_path_from_where_the_compiler_runs_is_foreign() -> None:
    assert (COMPILER_FOLDER / "etc").is_dir()
    assert find_foreign_include('#include "etc/passwd"', []) is not None
    assert find_foreign_include('#include "no_such_folder/passwd"', []) is None


@pytest.mark.parametrize("text", ["#/*" * 300_000, "*/ " * 300_000, "#include" * 100_000, "\\\n" * 400_000])
def test_hostile_text_takes_no_time(text: str) -> None:
    began = time.process_time()
    find_foreign_include(text, [])
    assert time.process_time() - began < 2.0
