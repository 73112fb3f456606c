"""Small changes to PTX that compilers wrote."""

from __future__ import annotations

import random
import re

_NUMBERS = ["0", "1", "-1", "3", "4", "31", "32", "255", "4095", "65536", "2147483647", "4294967295", "68719476736",
            "18446744073709551615", "0f7F800000", "0dFFF8000000000000"]  # fmt: skip
_SPACES = ["global", "shared", "local", "const", "param"]
_TYPES = [
    "b8",
    "u8",
    "s8",
    "b16",
    "u16",
    "f16",
    "b32",
    "u32",
    "s32",
    "f32",
    "b64",
    "u64",
    "s64",
    "f64",
    "f16x2",
    "pred",
]
_NUMBER = re.compile(r"(?<![\w.%$])-?\d+(?![\w.])")
_REGISTER = re.compile(r"%(rd|rs|r|fd|f|p|h)(\d+)")
_WORD = re.compile(r"\.([a-z]\w*)")


def mutate(text: str, rng: random.Random) -> str:
    """A few of its instructions changed, left out, doubled, or moved."""
    lines = text.split("\n")
    bodies = [n for n, line in enumerate(lines) if line.startswith("\t") and line.endswith(";") and ".loc" not in line]
    for _ in range(rng.choice([1, 1, 2, 3, 6])):
        if bodies:
            _change(lines, rng.choice(bodies), rng.choice(bodies), rng)
    return "\n".join(lines)


def _change(lines: list[str], at: int, other: int, rng: random.Random) -> None:
    line, kind = lines[at], rng.randrange(8)
    if kind == 0:
        lines[at] = ""
    elif kind == 1:
        lines[at] = f"{line}\n{lines[other]}"
    elif kind == 2:
        lines[at], lines[other] = lines[other], line
    elif kind == 3:
        lines[at] = _one(_NUMBER, line, lambda _: rng.choice(_NUMBERS), rng)
    elif kind == 4:
        lines[at] = _one(_REGISTER, line, lambda m: f"%{m[1]}{max(int(m[2]) + rng.choice([-2, -1, 1, 2]), 1)}", rng)
    elif kind == 5:
        lines[at] = _one(_WORD, line, lambda m: "." + rng.choice(_SPACES if m[1] in _SPACES else _TYPES), rng)
    elif kind == 6:
        lines[at] = re.sub(r"\[(%?\w+)(\+-?\d+)?\]", lambda m: f"[{m[1]}+{rng.choice(_NUMBERS[:13])}]", line, count=1)
    else:
        place = rng.randrange(len(line) + 1)
        lines[at] = (
            line[:place] + rng.choice(["", "[", "}", ";", "@", "%", "9" * 30, ",", "/*", '"']) + line[place + 1 :]
        )


def _one(pattern: re.Pattern[str], line: str, new: object, rng: random.Random) -> str:
    """One of the places where a pattern occurs, replaced."""
    places = list(pattern.finditer(line))
    if not places:
        return line
    match = rng.choice(places)
    assert callable(new)
    return line[: match.start()] + new(match) + line[match.end() :]
