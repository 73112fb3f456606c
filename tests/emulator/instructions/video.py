"""Video instructions, in the forms that GPUs compute as the PTX ISA says."""

from __future__ import annotations

import itertools

from ..exact import each
from ..oracle.video import COMPARISONS, part_of, video
from .rows import Table

ROWS = Table()
TYPES = ("u32", "s32")
SOURCES = itertools.cycle([("", ""), (".b1", ".h0"), (".h1", ".b3"), (".b2", ""), ("", ".b0")])
TARGETS = itertools.cycle([".b0", ".b1", ".b2", ".b3", ".h0"])
NARROW = itertools.cycle([(".b1", ".h0"), (".h1", ".b3"), (".b2", ".b0")])


def row(opcode: str, target: str, *sources: str) -> None:
    """`sources` are what follows each of the operands; an operand that is negated begins with a minus."""
    operands = [
        f"{'-' * s.startswith('-')}{{{letter}}}{s.lstrip('-')}" for letter, s in zip("abc", sources, strict=False)
    ]
    text = f"{opcode} {{d}}{target}, {', '.join(operands)}"
    parts = tuple(part_of(operand)[1] for operand in (f"d{target}", *operands))
    ROWS.row(text, ("b32",) * len(sources), "b32", each(video(opcode, (*parts, ""))))


for name, kinds in itertools.product(("vadd", "vsub", "vabsdiff", "vmin", "vmax"), itertools.product(TYPES, repeat=3)):
    opcode = f"{name}.{'.'.join(kinds)}"
    row(opcode, "", *next(SOURCES))
    row(f"{opcode}.add", "", *next(SOURCES), "")
    row(opcode, next(TARGETS), *next(SOURCES), "")
    row(f"{opcode}.sat", "", *next(SOURCES if kinds[0] == "s32" or name in ("vmin", "vmax") else NARROW))
    row(f"{opcode}.sat.add", "", *next(NARROW), "")
    if kinds[0] == "s32" or (kinds == ("u32",) * 3 and name != "vsub"):
        row(f"{opcode}.min", "", *next(NARROW), "")
        row(f"{opcode}.max", "", *next(NARROW), "")
row("vsub.u32.u32.u32.sat", "", "", "")
row("vabsdiff.u32.u32.u32.max", "", "", "", "")
for name, kinds, mode in itertools.product(("vshl", "vshr"), itertools.product(TYPES, repeat=2), ("clamp", "wrap")):
    opcode = f"{name}.{'.'.join(kinds)}.u32.{mode}"
    row(opcode, "", *next(SOURCES))
    row(f"{opcode}.add", "", *next(SOURCES), "")
    row(opcode, next(TARGETS), *next(SOURCES), "")
    if name == "vshr":
        row(f"{name}.{'.'.join(kinds)}.u32.sat.{mode}", "", *next(SOURCES))
        row(f"{name}.{kinds[0]}.{kinds[0]}.u32.{mode}.min", "", *next(SOURCES), "")
for kinds, compare in itertools.product(itertools.product(TYPES, repeat=2), COMPARISONS):
    opcode = f"vset.{'.'.join(kinds)}.{compare}"
    row(opcode, "", *next(SOURCES))
    row(f"{opcode}.add", "", *next(SOURCES), "")
    row(opcode, next(TARGETS), *next(SOURCES), "")
    if kinds[0] == "u32":
        row(f"{opcode}.max", "", *next(SOURCES), "")
for kinds, minus in itertools.product(itertools.product(TYPES, repeat=3), ("   ", "-  ", " - ", "  -", "-- ")):
    sources = [sign.strip() + part for sign, part in zip(minus, (*next(SOURCES), ""), strict=True)]
    row(f"vmad.{'.'.join(kinds)}", "", *sources)
    if kinds[1:] == ("s32", "s32"):
        row(f"vmad.{'.'.join(kinds)}.sat", "", *sources)
        row(f"vmad.{'.'.join(kinds)}.sat.shr7", "", *sources)
        row(f"vmad.{'.'.join(kinds)}.shr15", "", *sources)
for kinds in itertools.product(TYPES, repeat=3):
    row(f"vmad.{'.'.join(kinds)}.po", "", *next(SOURCES), "")
PAIRS = itertools.cycle([("", "", ""), (".h0", ".h31", ".h02"), (".h1", ".h23", "")])
QUADS = itertools.cycle([("", "", ""), (".b31", ".b7310", ".b0245"), (".b210", "", ".b6251"), (".b2", ".b0000", "")])
for count, chosen in ((2, PAIRS), (4, QUADS)):
    for name, kinds in itertools.product(
        ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"), itertools.product(TYPES, repeat=3)
    ):
        for modifier in ("", ".sat", ".add"):
            row(f"{name}{count}.{'.'.join(kinds)}{modifier}", *next(chosen), "")
    for kinds, compare, modifier in itertools.product(itertools.product(TYPES, repeat=2), COMPARISONS, ("", ".add")):
        row(f"vset{count}.{'.'.join(kinds)}.{compare}{modifier}", *next(chosen), "")
