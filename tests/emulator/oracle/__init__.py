"""A slow and plain interpreter of PTX: the yardstick that the emulator is compared with.

It is written from the PTX ISA alone and shares no code with the emulator.
"""

from .machine import run
from .state import Memory, Stuck, Trap

__all__ = ["Memory", "Stuck", "Trap", "run"]
