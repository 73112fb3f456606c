"""The instructions of the property tests, with what NumPy or plain Python says that each computes."""

from . import approximate, bits, conversions, floats, integers, video
from .rows import Family, Row, families

FAMILIES = families([*integers.ROWS, *bits.ROWS, *floats.ROWS, *conversions.ROWS, *approximate.ROWS, *video.ROWS])

__all__ = ["FAMILIES", "Family", "Row"]
