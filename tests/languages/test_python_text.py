"""Which language a text in Python is seen to be in, and what a starter looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.compile.colours import coloured_python
from grader.compile.python_starters import STARTERS
from grader.compile.python_text import kernels_of, language_of
from grader.core.errors import SourceError
from grader.core.verdict import Form, LanguageName
from grader.languages.registry import LANGUAGES, find_language, make_submission
from grader.problem import load_problem

PROBLEMS = Path(__file__).parents[2] / "problems"
IN_PYTHON = [name for name in LanguageName if name is not LanguageName.CUDA]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("import triton\n", "triton"),
        ("import triton.language as tl\n", "triton"),
        ("    from triton import language\n", "triton"),
        ("import torch, triton\n", "triton"),
        ("import cuda.tile as ct\n", "cutile"),
        ("from cuda import tile\n", "cutile"),
        ("from cuda.tile import kernel\n", "cutile"),
        ("import cutlass\nimport cutlass.cute as cute\n", "cute"),
        ("from numba import cuda\n", "numba"),
        ("import numba.cuda\n", "numba"),
        ("import torch\n", ""),
        ("import tritonic\n", ""),
        ("from cuda import core\n", ""),
        ("# import triton\n", ""),
        ("import triton, numba\n@cuda.jit\ndef f(): pass\n", "numba"),
        ("import triton, numba\n@triton.jit\ndef f(): pass\n", "triton"),
        ("import numba, triton\n", "numba"),
        ("# language: cute\nimport triton\n", "cute"),
        ("# mine\n# language: numba\n", "numba"),
        ("# language: cobol\nimport triton\n", "triton"),
        ("import triton\ndef solve(:\n", "triton"),
        ("", ""),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert language_of(text) == language


def test_kernels_are_the_decorated_functions() -> None:
    text = "@triton.jit\ndef one(): pass\n@cuda.jit('void()')\ndef two(): pass\ndef three(): pass\n"
    text += "@cute.jit\ndef solve(): pass\n@functools.cache\ndef four(): pass\n"
    assert kernels_of(text) == ["one", "two"]
    assert kernels_of("@triton.jit\ndef one(:") == []
    assert kernels_of("(" * 5000) == []


def test_a_file_is_read_in_its_language() -> None:
    found = make_submission("mine.py", b"from numba import cuda\n@cuda.jit\ndef add(a): pass\n")
    assert (found.language, found.form, found.kernels) == (LanguageName.NUMBA, Form.SOLVE, ("add",))
    named = make_submission("mine.py", b"import triton, numba\n", LanguageName.NUMBA)
    assert named.language is LanguageName.NUMBA
    assert make_submission("mine.cu", b"import triton\n").language is LanguageName.CUDA
    with pytest.raises(SourceError, match=r"mine\.py imports none of triton") as raised:
        make_submission("mine.py", b"import torch\n")
    assert "--language" in raised.value.hint


def test_each_name_has_a_language() -> None:
    assert {language.name for language in LANGUAGES} == set(LanguageName)
    assert find_language(LanguageName.CUDA, Form.KERNEL).form is Form.KERNEL
    for name in IN_PYTHON:
        assert find_language(name).name is name


@pytest.mark.parametrize("name", IN_PYTHON)
@pytest.mark.parametrize("problem", ["layer_norm", "histogram"])
def test_a_starter_is_in_its_language_and_has_the_parameters(name: LanguageName, problem: str) -> None:
    loaded = load_problem(PROBLEMS / problem)
    text = STARTERS[name](loaded)
    compile(text, "starter.py", "exec")
    assert language_of(text) == name
    assert kernels_of(text) == [loaded.kernel]
    for parameter in loaded.params:
        assert f"{parameter}" in text.partition("def solve(")[2].partition(")")[0]


def test_colours_give_the_text_back() -> None:
    text = (
        '@triton.jit\ndef f(x):  # a "comment\n    """a\n\'string"""\n    return 0x1f + x * 2.5 if x else \'it\\\'s\'\n'
    )
    assert "".join(piece for _, piece in coloured_python(text)) == text
    kinds = {kind: piece for kind, piece in coloured_python(text) if kind}
    assert kinds["c1"] == '# a "comment'
    assert kinds["nd"] == "@triton.jit"
    assert kinds["s"] == "'it\\'s'"
    assert [piece for kind, piece in coloured_python(text) if kind == "k"] == ["def", "return", "if", "else"]


@pytest.mark.parametrize("text", ["'" * 50_000, '"""' + "x" * 50_000, "\\" * 50_000, "@" * 50_000, "rb" * 50_000])
def test_colours_take_time_in_proportion(text: str) -> None:
    assert "".join(piece for _, piece in coloured_python(text)) == text
