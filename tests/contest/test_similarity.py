"""Near-copies are found whatever their names and layout, and what is everybody's makes nobody a copy."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from grader.contest.copies import likenesses
from grader.contest.similarity import SMALLEST, similar_pairs, tokenize, tokenize_python
from grader.core.verdict import LanguageName
from grader.languages.registry import find_language
from grader.problem import load_problem
from grader.store.workspace import builtin_folder

from .contests import contest, handed_in

MATMUL = builtin_folder("problems") / "matmul"
STARTER = (MATMUL / "starter.cu").read_text()
TILED = (MATMUL / "submissions/accepted/2_tiled.cu").read_text()
BLOCKED = (MATMUL / "submissions/accepted/4_double_buffered.cu").read_text()


TRITON = '''\
"""Tiles of C, one program each."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        k = start + tl.arange(0, BLOCK)  # along the sum
        left = tl.load(a_ptr + row[:, None] * N + k[None, :], mask=(row[:, None] < M) & (k[None, :] < N), other=0.0)
        right = tl.load(b_ptr + k[:, None] * K + column[None, :], mask=(k[:, None] < N) & (column[None, :] < K))
        total = tl.dot(left, right, total)
    tl.store(c_ptr + row[:, None] * K + column[None, :], total, mask=(row[:, None] < M) & (column[None, :] < K))


def solve(A, B, C, M, N, K):
    product[(triton.cdiv(M, 32), triton.cdiv(K, 32))](A, B, C, M, N, K, BLOCK=32)
'''


def renamed_python(text: str) -> str:
    text = re.sub(r"\b(row|column|total|left|right|k|start|a_ptr|b_ptr|c_ptr|product)\b", r"my_\1", text)
    return re.sub(r"  # along the sum", "\n\n        # the same again", text).replace("(", "(\n        ")


def renamed(text: str) -> str:
    """Other names for what is the file's own."""
    return re.sub(r"\b(row|column|sum|k|tile_a|tile_b|A|B|C|M|N|K|TILE)\b", r"my_\1", text)


def reformatted(text: str) -> str:
    text = re.sub(r"//[^\n]*", "", text)
    return text.replace(";", " ;\n\n").replace("(", "( ").replace("{", "\n{ // so\n")


def test_names_layout_and_comments_do_not_count() -> None:
    words = [token.text for token in tokenize(TILED)]
    assert [token.text for token in tokenize(renamed(TILED))] == words
    assert [token.text for token in tokenize(reformatted(TILED))] == words
    assert [token.text for token in tokenize(TILED.replace("0.0f", "1.5f"))] == words


def test_what_the_code_does_counts() -> None:
    assert tokenize("int a = b + c;") != tokenize("int a = b - c;")
    assert tokenize("int a = threadIdx.x;") != tokenize("int a = threadIdx.y;")


@pytest.mark.parametrize("change", [renamed, reformatted, lambda text: reformatted(renamed(text))])
def test_a_disguised_copy_is_found_with_its_lines(change: object) -> None:
    copy = change(TILED)  # type: ignore[operator]
    (pair,) = similar_pairs({"ada": TILED, "bob": copy, "cy": BLOCKED}, given=[STARTER])
    assert (pair.one, pair.other) == ("ada", "bob")
    assert pair.similarity == 1.0
    first, last, _, _ = pair.lines[0]
    assert "__global__" in "\n".join(TILED.splitlines()[first - 1 : last])


def test_a_copy_with_changed_parts_is_found() -> None:
    lines = TILED.splitlines()
    at = next(number for number, line in enumerate(lines) if "__syncthreads" in line)
    changed = "\n".join([*lines[:at], "    float extra = 0.5f * threadIdx.x + blockIdx.y;", *lines[at:]])
    (pair,) = similar_pairs({"ada": TILED, "bob": changed}, given=[STARTER])
    assert 0.8 < pair.similarity <= 1.0


def test_a_copy_that_is_part_of_a_longer_file_is_found() -> None:
    longer = BLOCKED + TILED.replace("matrix_multiplication_kernel", "other")
    pairs = {(p.one, p.other): p.similarity for p in similar_pairs({"ada": TILED, "bob": longer})}
    assert pairs["ada", "bob"] > 0.9


def test_different_kernels_are_not_copies() -> None:
    assert similar_pairs({"ada": TILED, "bob": BLOCKED}, given=[STARTER]) == []


def test_what_everybody_got_does_not_count() -> None:
    files = {"ada": TILED, "bob": TILED}
    assert similar_pairs(files) != []
    assert similar_pairs(files, given=[TILED]) == []


def test_what_many_wrote_alike_does_not_count() -> None:
    assert similar_pairs({f"s{n}": TILED for n in range(30)}) == []
    others = {f"s{n}": BLOCKED for n in range(60)}
    pairs = similar_pairs({"ada": TILED, "bob": renamed(TILED), **others})
    assert [(pair.one, pair.other) for pair in pairs] == [("ada", "bob")]


def test_what_is_too_short_says_nothing() -> None:
    short = "__global__ void f(float* a) { a[threadIdx.x] = 1.0f; }\n"
    assert len(tokenize(short)) < SMALLEST
    assert similar_pairs({"ada": short, "bob": short}) == []


@pytest.mark.parametrize("text", ["", "}}}{{{", "\0\0", "#define " * 2000, "(" * 20_000, "é" * 5_000, "\ud800 x;"])
def test_any_text_can_be_compared(text: str) -> None:
    for pair in similar_pairs({"ada": text, "bob": text + TILED, "cy": TILED}):
        assert 0.6 <= pair.similarity <= 1.0


def test_similarity_does_not_depend_on_the_order() -> None:
    pool = [TILED, BLOCKED, renamed(TILED)]
    names = ["ada", "bob", "cy"]
    found = set()
    for seed in range(4):
        order = list(zip(names, pool, strict=True))
        random.Random(seed).shuffle(order)
        found.add(tuple((frozenset((p.one, p.other)), p.similarity) for p in similar_pairs(dict(order), threshold=0.1)))
    assert len(found) == 1


def test_python_is_compared_as_python() -> None:
    assert [token.text for token in tokenize_python(renamed_python(TRITON))] == [
        token.text for token in tokenize_python(TRITON)
    ]
    assert tokenize_python("tl.load(a)") != tokenize_python("tl.store(a)")
    assert tokenize_python("a + b") != tokenize_python("a - b")
    assert tokenize_python('a = """one\ntwo"""\n# three\nb')[-1].line == 4
    (pair,) = similar_pairs({"ada": TRITON, "bob": renamed_python(TRITON)}, read=tokenize_python)
    assert pair.similarity == 1.0


def test_files_of_one_language_alone_are_compared(tmp_path: Path) -> None:
    as_numba = f"# language: numba\n{TRITON}"
    starter = find_language(LanguageName.TRITON).starter(load_problem(MATMUL))
    with contest(tmp_path, people=("ada", "bob", "cy", "di")) as database:
        ada = handed_in(database, "ada", 1, 0.5, text=TRITON, file="mine.py")
        handed_in(database, "bob", 2, 0.4, text=as_numba, file="mine.py")
        cy = handed_in(database, "cy", 3, 0.5, text=renamed_python(TRITON), file="own.py")
        handed_in(database, "di", 4, 0.5, text=TRITON)
        found = likenesses(database, "a1", given={"matmul": {LanguageName.TRITON: [starter]}})
        assert [{f.one.id, f.other.id} for f in found] == [{ada, cy}]
        assert likenesses(database, "a1", given={"matmul": {LanguageName.TRITON: [TRITON]}}) == []


def test_pairs_of_a_contest_are_of_different_participants_and_one_problem(tmp_path: Path) -> None:
    with contest(tmp_path) as database:
        ada = handed_in(database, "ada", 1, 0.5, text=TILED)
        handed_in(database, "ada", 2, "wrong_answer", text=TILED + "\n")
        handed_in(database, "bob", 3, 0.4, "zip", text=TILED)
        cy = handed_in(database, "cy", 4, 0.5, text=renamed(TILED))
        found = likenesses(database, "a1", given={"matmul": {LanguageName.CUDA: [STARTER]}})
        assert [(f.problem, {f.one.id, f.other.id}) for f in found] == [("matmul", {ada, cy})]
        assert likenesses(database, "a1", given={}, problem="zip") == []
