"""Finds near-copies among submissions by comparing fingerprints of their tokens, pair by pair.

Names, numbers, comments and layout don't count, nor does text from the starter file or common to many. The result is
pairs with their lines for a person to judge.

Fingerprints are winnowed k-grams: Schleimer, Wilkerson and Aiken, Winnowing: local algorithms for document
fingerprinting, SIGMOD 2003.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from typing import TYPE_CHECKING

from grader.compile.colours import coloured_python
from grader.compile.lexical import without_comments
from grader.compile.syntax import syntax_tree

if TYPE_CHECKING:
    from tree_sitter import Node

GRAM = 10
"""Tokens per fingerprint. Shorter sequences are just idiom. Even `int i = blockIdx.x * blockDim.x + threadIdx.x` has 14
tokens and `for (int i = 0; i < N; ++i)` 13; both are in every file and are dropped as common."""
WINDOW = 5
"""Of this many consecutive k-grams at least one is kept, so any match of GRAM + WINDOW - 1 tokens is found."""
COMMON_SHARE = 0.2
COMMON_LEAST = 8
"""A fingerprint is common if it is in more than COMMON_SHARE of all files and in more than COMMON_LEAST files."""
SMALLEST = 40
"""A file with fewer tokens of its own is too short to compare."""
LEAST_RUN = 5
MOST_TOKENS = 10_000
MOST_PLACES = 8
"""Places kept of one fingerprint in one file; otherwise a table of 10,000 zeros would be compared place by place."""

_KEPT = re.compile(r"__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|cuda\w+|atomic\w+|u?int\d+_t|size_t|[xyz]")
_FIXED = {"number_literal": "0", "char_literal": "'c'", "string_literal": '"s"', "raw_string_literal": '"s"'}
_PYTHON_PIECE = re.compile(r"\n|(?P<dot>\.[ \t]*)?(?P<word>[^\W\d]\w*)|[^\s\w]")
_PYTHON_FIXED = {"s": '"s"', "mi": "0"}
_LEFT_OUT = frozenset({"comment", "preproc_include", "preproc_call"})


@dataclass(frozen=True)
class Token:
    """A normalised token, and its line from 1."""

    text: str
    line: int


@dataclass(frozen=True)
class Pair:
    """Two similar files. `similarity` is the share of the smaller file's own tokens that match, 0 to 1.

    `lines` are the matching stretches: first and last line in `one`, first and last line in `other`.
    """

    one: str
    other: str
    similarity: float
    tokens: int
    lines: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class _File:
    """`prints` maps each kept fingerprint to its places (token numbers); `own` holds the tokens that are not common."""

    name: str
    tokens: Sequence[Token]
    prints: Mapping[bytes, Sequence[int]]
    own: frozenset[int]


def similar_pairs(
    files: Mapping[str, str],
    *,
    given: Iterable[str] = (),
    threshold: float = 0.6,
    most: int = 200,
    read: Callable[[str], list[Token]] | None = None,
) -> list[Pair]:
    """Returns pairs of the named texts, which are in one language, that reach the threshold, most similar first.

    `given` are texts that everybody got, such as the starter file. `read` tokenizes a text, by default in this process.
    """
    read = read or tokenize
    tokens = {name: read(text) for name, text in files.items()}
    given_grams = {gram for text in given for _, gram in _grams(read(text))}
    grams = {name: list(_grams(own)) for name, own in tokens.items()}
    spread: dict[bytes, int] = {}
    for own in grams.values():
        for gram in {gram for _, gram in own}:
            spread[gram] = spread.get(gram, 0) + 1
    limit = max(COMMON_LEAST, COMMON_SHARE * len(files))
    common = given_grams | {gram for gram, count in spread.items() if count > limit}
    prepared = [
        file for name in files if len((file := _prepare(name, tokens[name], grams[name], common)).own) >= SMALLEST
    ]
    found = [_compare(one, other) for one, other in _candidates(prepared, threshold)]
    pairs = [pair for pair in found if pair.similarity >= threshold]
    return sorted(pairs, key=lambda pair: (-pair.similarity, -pair.tokens, pair.one, pair.other))[:most]


def tokenize(text: str) -> list[Token]:
    """Returns the tokens that count; the submission's own names all become one word, literals one word per kind."""
    data = without_comments(text)
    tree = syntax_tree(data)
    tokens: list[Token] = []
    stack = [tree.root_node] if tree is not None else []
    while stack and len(tokens) < MOST_TOKENS:
        node = stack.pop()
        if node.type in _LEFT_OUT:
            continue
        fixed = _FIXED.get(node.type)
        if fixed is None and node.child_count:
            stack.extend(reversed(node.children))
        elif word := fixed or _word(node, data):
            tokens.append(Token(word, int(node.start_point.row) + 1))
    return tokens


def tokenize_python(text: str) -> list[Token]:
    """Does for Python what `tokenize` does. Attributes keep their names: most are a language's own functions."""
    tokens: list[Token] = []
    line = 1
    for kind, part in coloured_python(text):
        if len(tokens) >= MOST_TOKENS:
            break
        if kind in _PYTHON_FIXED:
            tokens.append(Token(_PYTHON_FIXED[kind], line))
            line += part.count("\n")
        elif kind == "k":
            tokens.append(Token(part, line))
        elif kind != "c1":
            for piece in _PYTHON_PIECE.finditer(part):
                line += piece[0] == "\n"
                if piece["word"]:
                    tokens.append(Token(f".{piece['word']}" if piece["dot"] else "v", line))
                elif piece[0] != "\n":
                    tokens.append(Token(piece[0], line))
    return tokens[:MOST_TOKENS]


def _word(node: Node, data: bytes) -> str:
    text = data[node.start_byte : node.end_byte].decode(errors="replace")
    if node.type == "preproc_arg":
        # The grammar does not split the value of a #define.
        return re.sub(r"\w+", "v", re.sub(r"\s+", "", text))
    if node.type.endswith("identifier") and not _KEPT.fullmatch(text):
        return "v"
    return text.strip()


def _grams(tokens: Sequence[Token]) -> Iterator[tuple[int, bytes]]:
    """Yields place and hash of each k-gram."""
    words = [token.text for token in tokens]
    for place in range(len(words) - GRAM + 1):
        yield place, blake2b("\0".join(words[place : place + GRAM]).encode(), digest_size=8).digest()


def _prepare(name: str, tokens: Sequence[Token], grams: Sequence[tuple[int, bytes]], common: set[bytes]) -> _File:
    """Removes common fingerprints; a token is the file's own if any k-gram that covers it is."""
    rare = [(place, gram) for place, gram in grams if gram not in common]
    own = frozenset(at for place, _ in rare for at in range(place, place + GRAM))
    prints: dict[bytes, list[int]] = {}
    for place, gram in _winnow(rare):
        places = prints.setdefault(gram, [])
        if len(places) < MOST_PLACES:
            places.append(place)
    return _File(name, tokens, prints, own)


def _winnow(grams: Sequence[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yields the smallest hash of each window, each place once; of equal ones the rightmost, as in the paper."""
    last = -1
    for start in range(max(1, len(grams) - WINDOW + 1)):
        window = grams[start : start + WINDOW]
        if not window:
            return
        place, gram = min(window, key=lambda item: (item[1], -item[0]))
        if place != last:
            last = place
            yield place, gram


def _candidates(files: Sequence[_File], threshold: float) -> Iterator[tuple[_File, _File]]:
    """Yields pairs that share enough fingerprints to be compared token by token."""
    holders: dict[bytes, list[int]] = {}
    for number, file in enumerate(files):
        for gram in file.prints:
            holders.setdefault(gram, []).append(number)
    shared = Counter(pair for numbers in holders.values() for pair in combinations(numbers, 2))
    for (one, other), count in sorted(shared.items()):
        # Half the threshold suffices: a changed token destroys up to GRAM fingerprints.
        if count >= threshold / 2 * min(len(files[one].prints), len(files[other].prints)):
            yield files[one], files[other]


def _compare(one: _File, other: _File) -> Pair:
    stretches = _stretches(one, other)
    covered_one = {at for a, _, length in stretches for at in range(a, a + length)} & one.own
    covered_other = {at for _, b, length in stretches for at in range(b, b + length)} & other.own
    smaller, covered = min(((one.own, covered_one), (other.own, covered_other)), key=lambda side: len(side[0]))
    lines = tuple(
        (
            one.tokens[a].line,
            one.tokens[a + length - 1].line,
            other.tokens[b].line,
            other.tokens[b + length - 1].line,
        )
        for a, b, length in stretches
    )
    return Pair(one.name, other.name, len(covered) / len(smaller), len(covered), lines)


def _stretches(one: _File, other: _File) -> list[tuple[int, int, int]]:
    """Matching runs of tokens (place, place, length), grown from shared fingerprints. Overlaps go to the longest."""
    a_words, b_words = [t.text for t in one.tokens], [t.text for t in other.tokens]
    found: set[tuple[int, int, int]] = set()
    grown: dict[int, list[tuple[int, int]]] = {}
    for gram, places in one.prints.items():
        for a in places:
            for b in other.prints.get(gram, ()):
                if any(start <= a < end for start, end in grown.get(a - b, ())):
                    continue
                start, end = a, a + GRAM
                while start > 0 and start - 1 - (a - b) >= 0 and a_words[start - 1] == b_words[start - 1 - (a - b)]:
                    start -= 1
                while end < len(a_words) and end - (a - b) < len(b_words) and a_words[end] == b_words[end - (a - b)]:
                    end += 1
                grown.setdefault(a - b, []).append((start, end))
                found.add((start, start - (a - b), end - start))
    chosen: list[tuple[int, int, int]] = []
    taken_one: set[int] = set()
    taken_other: set[int] = set()
    for a, b, length in sorted(found, key=lambda run: (-run[2], run[0], run[1])):
        # Neighbouring stretches overlap by a few tokens at a change; the rest of the shorter one counts.
        free = [at for at in range(length) if a + at not in taken_one and b + at not in taken_other]
        for start, end in _runs(free):
            if end - start >= LEAST_RUN:
                taken_one.update(range(a + start, a + end))
                taken_other.update(range(b + start, b + end))
                chosen.append((a + start, b + start, end - start))
    return sorted(chosen)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yields runs of consecutive numbers in a sorted sequence, as first and one past the last."""
    start = 0
    for at in range(1, len(numbers) + 1):
        if at == len(numbers) or numbers[at] != numbers[at - 1] + 1:
            yield numbers[start], numbers[at - 1] + 1
            start = at
