"""Video instructions for one thread (PTX ISA, "Video Instructions"), with parts of registers as operands."""

from __future__ import annotations

from collections.abc import Callable

from .words import clamp, integer, mask

Rule = Callable[..., int]
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
    "vavrg": lambda a, b: (a + b + (a + b >= 0)) >> 1,
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
SECOND: dict[str, Callable[[int, int], int]] = {"add": lambda t, c: t + c, "min": min, "max": max}
SIMD = {f"{name}{count}" for name in (*ARITHMETIC, "vset") for count in (2, 4)}
NAMES = SIMD | {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl", "vshr", "vmad"}


def part_of(operand: str) -> tuple[str, str]:
    """(`-%r1.b0`) -> (`%r1`, `-b0`)."""
    name, _, selector = operand.lstrip("- ").partition(".")
    return name, "-" * operand.startswith("-") + selector


def size_and_place(selector: str) -> tuple[int, int]:
    return {"b": 8, "h": 16}.get(selector[:1], 32), int(selector[1:] or 0)


def selected(bits: int, selector: str, kind: str) -> int:
    size, place = size_and_place(selector.lstrip("-"))
    return integer(bits >> size * place, f"{kind[0]}{size}")


def video(opcode: str, parts: tuple[str, ...] = ("", "", "", "")) -> Rule:
    """The function of the operands' bits; `parts` are the selectors of the destination and of the sources."""
    base, *mods = opcode.split(".")
    kinds = [m for m in mods if m in ("u32", "s32")]
    target, first, second = kinds if len(kinds) == 3 else ("u32", *kinds)
    operation = ARITHMETIC.get(base.rstrip("24"))
    if base.startswith("vset"):
        compare = next(COMPARISONS[m] for m in mods if m in COMPARISONS)
        operation = lambda a, b: int(compare(a, b))  # noqa: E731
    if base in SIMD:
        assert operation
        return simd(int(base[-1]), mods, operation, (target, first, second), parts)
    if base == "vmad":
        return multiply_add(mods, first, second, parts)

    def scalar(a: int, b: int, c: int = 0) -> int:
        x, y = selected(a, parts[1], first), selected(b, parts[2], second)
        if operation:
            t = operation(x, y)
        else:
            y = min(y, 32) if "clamp" in mods else y & 31
            t = x << y if base == "vshl" else x >> y
        size, place = size_and_place(parts[0])
        if "sat" in mods:
            t = clamp(t, f"{target[0]}{size}")
        for name in SECOND.keys() & set(mods):
            t = SECOND[name](t, integer(c, target))
        field = mask(size) << size * place
        return (t << size * place) & field | c & ~field & mask(32)

    return scalar


def multiply_add(mods: list[str], first: str, second: str, parts: tuple[str, ...]) -> Rule:
    minus = [part.startswith("-") for part in parts]
    signed = "s32" in (first, second) or minus[1] != minus[2] or minus[3]
    final = "s32" if signed else "u32"

    def vmad(a: int, b: int, c: int) -> int:
        product = selected(a, parts[1], first) * selected(b, parts[2], second)
        addend = integer(c, final)
        t = (-product if minus[1] != minus[2] else product) + (-addend if minus[3] else addend) + ("po" in mods)
        t >>= next((int(m[3:]) for m in mods if m.startswith("shr")), 0)
        return (clamp(t, final) if "sat" in mods else t) & mask(32)

    return vmad


def simd(
    count: int, mods: list[str], operation: Callable[[int, int], int], kinds: tuple[str, ...], parts: tuple[str, ...]
) -> Rule:
    size = 32 // count
    places = [parts[i][:0:-1] or "01234567"[start : start + count] for i, start in ((1, 0), (2, count))]
    wanted = parts[0][1:] or "0123"

    def vector(a: int, b: int, c: int) -> int:
        pair = b << 32 | a
        rows = [
            [integer(pair >> size * int(place), f"{kind[0]}{size}") for place in chosen]
            for chosen, kind in zip(places, kinds[1:], strict=True)
        ]
        results = [operation(x, y) for x, y in zip(*rows, strict=True)]
        if "sat" in mods:
            results = [clamp(t, f"{kinds[0][0]}{size}") for t in results]
        if "add" in mods:
            return (c + sum(t for place, t in enumerate(results) if str(place) in wanted)) & mask(32)
        kept = [t if str(place) in wanted else c >> size * place for place, t in enumerate(results)]
        return sum((t & mask(size)) << size * place for place, t in enumerate(kept))

    return vector
