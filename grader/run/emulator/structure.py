"""Structures that native code and Python share: fields in order, whose sizes and alignments give the offsets."""

from __future__ import annotations

from dataclasses import dataclass

LANES = 32
LANES_ALIGN = 64
"""The alignment that `IrFunction.load_lanes` assumes."""


@dataclass(frozen=True)
class Field:
    """A field; `size` and `align` are in bytes."""

    size: int
    align: int


WORD, WIDE = Field(4, 4), Field(8, 8)
"""An i32 and an i64; a pointer is as wide as an i64."""


class Structure(dict[str, int]):
    """The offset of each field in bytes. `size` is a multiple of `align`, and therefore the stride of an array."""

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
        """Returns the values of all fields in order, for a structure that has only 64-bit fields."""
        assert values.keys() == self.keys()
        return tuple(values[name] for name in self)


def array(element: Field | Structure, count: int, align: int = 1) -> Field:
    """Returns a field of `count` consecutive elements, aligned as an element or to `align` bytes."""
    return Field(element.size * count, max(element.align, align))


def lanes(element: Field) -> Field:
    """Returns a field with one element per lane of a warp, as a vector."""
    return array(element, LANES, LANES_ALIGN)


def _align_up(value: int, align: int) -> int:
    return -(-value // align) * align
