"""Structures that native code and Python share: fields in order, of which sizes and alignments give the offsets."""

from __future__ import annotations

from dataclasses import dataclass

LANES = 32
LANES_ALIGN = 64
"""What `IrFunction.load_lanes` takes for granted."""


@dataclass(frozen=True)
class Field:
    """`size` and `align` are in bytes."""

    size: int
    align: int


WORD, WIDE = Field(4, 4), Field(8, 8)
"""An i32 and an i64; a pointer is as wide as an i64."""


class Structure(dict[str, int]):
    """By field, its offset in bytes. `size` is a multiple of `align`, and so the stride of an array of them."""

    size: int
    align: int

    def __init__(self, *, least_align: int = 1, **fields: Field | Structure) -> None:
        super().__init__()
        end = 0
        self.align = max(least_align, *(field.align for field in fields.values()))
        for name, field in fields.items():
            self[name] = _align_up(end, field.align)
            end = self[name] + field.size
        self.size = _align_up(end, self.align)

    def words(self, **values: int) -> tuple[int, ...]:
        """The values of all fields in order, for a structure that has only fields of 64 bits."""
        assert values.keys() == self.keys()
        return tuple(values[name] for name in self)


def array(element: Field | Structure, count: int, align: int = 1) -> Field:
    """`count` elements one behind the other, as aligned as one of them or more."""
    return Field(element.size * count, max(element.align, align))


def lanes(element: Field) -> Field:
    """One for each lane of a warp, as a vector."""
    return array(element, LANES, LANES_ALIGN)


def _align_up(value: int, align: int) -> int:
    return -(-value // align) * align
