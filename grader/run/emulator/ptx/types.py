"""PTX's fundamental types as data: kind, width and the LLVM types that carry them.

Registers are untyped bits of a width; each instruction says how it reads them (PTX ISA, "Types").
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PtxType:
    """A fundamental type.

    `kind` is u, s, b, f, bf or pred; `bits` is the width of one element; `packed` is 2 for f16x2 and the like, else 1.
    """

    name: str
    kind: str
    bits: int
    packed: int = 1

    @property
    def width(self) -> int:
        """Bits of the register that holds it."""
        return self.bits * self.packed

    @property
    def bytes(self) -> int:
        return self.width // 8

    @property
    def is_float(self) -> bool:
        return self.kind in ("f", "bf")

    @property
    def is_signed(self) -> bool:
        return self.kind == "s"

    @property
    def integer(self) -> str:
        """The LLVM integer type of the register's width."""
        return "i1" if self.kind == "pred" else f"i{self.width}"


def _table() -> dict[str, PtxType]:
    rows = [PtxType("pred", "pred", 1)]
    rows += [PtxType(f"{kind}{bits}", kind, bits) for kind in "usb" for bits in (8, 16, 32, 64, 128)]
    rows += [PtxType(f"f{bits}", "f", bits) for bits in (16, 32, 64)]
    rows += [PtxType("bf16", "bf", 16), PtxType("f16x2", "f", 16, 2), PtxType("bf16x2", "bf", 16, 2)]
    rows += [PtxType("u16x2", "u", 16, 2), PtxType("s16x2", "s", 16, 2)]
    return {row.name: row for row in rows}


TYPES = _table()
B32 = TYPES["b32"]
B64 = TYPES["b64"]
PRED = TYPES["pred"]
